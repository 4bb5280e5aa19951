# SPDX-License-Identifier: GPL-2.0-only
"""A function's instructions with names and labels in the place of addresses, and how often each was executed."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

import msgspec

from kassay.codegen.code import (
    BRANCH,
    CALL,
    HOLE,
    NOOP,
    PLAIN,
    TRACER,
    TRAP,
    Decoded,
    FunctionCode,
    Reference,
    Spot,
    decoder_of,
    name_of,
)
from kassay.effects.files import sha256_bytes
from kassay.model.codegen import Call, Instruction

_DROPPED = (NOOP, TRAP, TRACER)
INDIRECT = "(indirect)"
_PATCHED = "nop (patched at boot)"


class Listing(NamedTuple):
    """instructions: without padding. spots: where each of them is. sha256: of them; bytes_sha256: of the bytes, padding
    included, with fields that hold addresses zeroed. calls: most sites first."""

    instructions: tuple[Instruction, ...]
    spots: tuple[Spot, ...]
    sha256: str
    bytes_sha256: str
    calls: tuple[Call, ...]


class _Placed(NamedTuple):
    part: str
    spot: Spot
    decoded: Decoded


def listing(function: FunctionCode) -> Listing:
    """The whole function, part after part."""
    decode = decoder_of(function.file.arch).decode
    parts = [
        [_Placed(part.name, (part.spot[0], part.spot[1] + one.offset), one) for one in decode(part, function.file)]
        for part in function.parts
    ]
    everything = [one for part in parts for one in part]
    kept = [[one for one in _with_patch_sites(part) if _stays(one, function)] for part in parts]
    inside = _homes(everything, {one.spot for part in kept for one in part})
    labels = _labels([one for part in kept for one in part], inside, function)
    instructions = [[_instruction(one, inside, labels, function) for one in part] for part in kept]
    text = "\n\n".join("\n".join(f"{one.label}\t{one.text}" for one in part) for part in instructions)
    flat = tuple(one for part in kept for one in part)
    return Listing(
        instructions=tuple(one for part in instructions for one in part),
        spots=tuple(one.spot for one in flat),
        sha256=sha256_bytes(f"{function.file.arch}\n{text}\n".encode()),
        bytes_sha256=sha256_bytes(b"\0\xff\0".join(b"".join(_bytes(one, part) for one in part) for part in parts)),
        calls=_calls(flat, inside, function),
    )


def _stays(placed: _Placed, function: FunctionCode) -> bool:
    return placed.decoded.kind not in _DROPPED or function.file.static_branch(placed.spot) is not None


def _with_patch_sites(part: list[_Placed]) -> list[_Placed]:
    """Two and more no-ops of one byte in a row are room for code that is patched in at boot, not alignment."""
    found = []
    for before, one, behind in zip([None, *part[:-1]], part, [*part[1:], None], strict=False):
        room = _is_room(one) and (_is_room(before) or _is_room(behind))
        found.append(one._replace(decoded=one.decoded._replace(kind=PLAIN, text=_PATCHED)) if room else one)
    return found


def _is_room(one: _Placed | None) -> bool:
    return one is not None and one.decoded.zeroed == b"\x90"


def _homes(everything: Iterable[_Placed], kept: set[Spot]) -> Mapping[Spot, Spot]:
    """Every instruction's place -> its own, or that of the next instruction that stays."""
    homes: dict[Spot, Spot] = {}
    waiting: list[Spot] = []
    for placed in everything:
        waiting.append(placed.spot)
        if placed.spot in kept:
            homes |= dict.fromkeys(waiting, placed.spot)
            waiting = []
    return homes


def _references(placed: _Placed, inside: Mapping[Spot, Spot], function: FunctionCode) -> tuple[Reference, ...]:
    branch = function.file.static_branch(placed.spot)
    led = (Reference(spot) for refers in placed.decoded.references for spot in _table(placed, refers, inside, function))
    return (*placed.decoded.references, *led, *((Reference(branch.target),) if branch is not None else ()))


def _table(placed: _Placed, refers: Reference, inside: Mapping[Spot, Spot], function: FunctionCode) -> list[Spot]:
    """Where the cases of a switch are, when that is what data says. Their order is part of the code."""
    if refers.spot is None or refers.spot in inside or placed.decoded.kind != PLAIN:
        return []
    return list(takewhile(inside.__contains__, function.file.table(refers.spot)))


def _labels(kept: Iterable[_Placed], inside: Mapping[Spot, Spot], function: FunctionCode) -> Mapping[Spot, str]:
    """ ".L1" and so on, in the order of the instructions that are referred to."""
    everything = list(kept)
    spots = [r.spot for placed in everything for r in _references(placed, inside, function)]
    wanted = {inside[spot] for spot in spots if spot is not None and spot in inside}
    ordered = [one.spot for one in everything if one.spot in wanted]
    return {spot: f".L{number}" for number, spot in enumerate(ordered, 1)}


def _instruction(
    placed: _Placed, inside: Mapping[Spot, Spot], labels: Mapping[Spot, str], function: FunctionCode
) -> Instruction:
    names = [_name(placed, r, inside, labels, function) for r in placed.decoded.references]
    text = placed.decoded.text
    for name in names:
        text = text.replace(HOLE, name.replace(HOLE, ""), 1)
    branch = function.file.static_branch(placed.spot)
    if branch is not None:
        target = _name(placed, Reference(branch.target), inside, labels, function)
        word = "nop or jump to" if placed.decoded.kind == NOOP else "jump or nop to"
        text = f"{word} {target} (static key {branch.key})"
    start = next(part.spot[1] for part in function.parts if part.name == placed.part)
    return Instruction(
        part=placed.part, offset=placed.spot[1] - start, size=placed.decoded.size, text=text.replace("\t", " "),
        label=labels.get(placed.spot, ""),
    )  # fmt: skip


def _name(
    placed: _Placed, refers: Reference, inside: Mapping[Spot, Spot], labels: Mapping[Spot, str], function: FunctionCode
) -> str:
    if refers.spot is None:
        return refers.name
    if refers.spot in inside:
        return labels[inside[refers.spot]]
    if cases := _table(placed, refers, inside, function):
        return f"cases({', '.join(labels[inside[spot]] for spot in cases)})"
    return function.file.name(refers.spot)


def _bytes(placed: _Placed, part: list[_Placed]) -> bytes:
    """A jump inside one part is the same wherever the part lies, so its bytes count."""
    first, last = part[0].spot, part[-1].spot
    own = all(r.spot is not None and first <= r.spot <= last for r in placed.decoded.references)
    if placed.decoded.kind == BRANCH and own:
        distance = placed.decoded.references[0].spot[1] - placed.spot[1]  # type: ignore[index]  # own: there is a spot
        return placed.decoded.zeroed + distance.to_bytes(8, "little", signed=True)
    return placed.decoded.zeroed


def _calls(kept: Iterable[_Placed], inside: Mapping[Spot, Spot], function: FunctionCode) -> tuple[Call, ...]:
    """Calls, and jumps that leave the function."""
    found: Counter[str] = Counter()
    decoder = decoder_of(function.file.arch)
    for one in kept:
        decoded = one.decoded
        if decoded.kind in (CALL, BRANCH):
            refers = decoded.references[0]
            if refers.spot is None or refers.spot not in inside or decoded.kind == CALL:
                found[name_of(refers, function.file)] += 1
        elif any(_table(one, refers, inside, function) for refers in decoded.references):
            continue  # a switch stays inside
        elif decoded.text.startswith(decoder.indirect):
            name = next((name_of(refers, function.file) for refers in decoded.references), "")
            found[f"*{name}" if name else INDIRECT] += 1
    left = [(name, sites) for name, sites in found.items() if name not in decoder.returns]
    return tuple(Call(callee=name, sites=sites) for name, sites in sorted(left, key=lambda pair: (-pair[1], pair[0])))


class Counted(NamedTuple):
    """executed: all that ran inside the function, no-ops included. counts: per instruction of the listing."""

    executed: float
    counts: tuple[float, ...]


def counted(function: FunctionCode, listing: Listing, places: Mapping[int, int], operations: int) -> Counted:
    """places: address -> executions. What is patched in at boot counts for the instruction it replaced."""
    addresses = sorted(places)

    def between(start: int, end: int) -> int:
        return sum(places[at] for at in addresses[bisect_left(addresses, start) : bisect_left(addresses, end)])

    total = sum(between(part.spot[1], part.spot[1] + len(part.code)) for part in function.parts)
    each = (between(spot[1], spot[1] + one.size) for spot, one in zip(listing.spots, listing.instructions, strict=True))
    return Counted(total / operations, tuple(count / operations for count in each))


def with_counts(instructions: Sequence[Instruction], counts: Sequence[float]) -> tuple[Instruction, ...]:
    """One count for each."""
    return tuple(msgspec.structs.replace(one, count=count) for one, count in zip(instructions, counts, strict=True))


def same_shape(one: Sequence[Instruction], other: Sequence[Instruction]) -> bool:
    """Whether two listings have the same instructions but for names: the object's and the linked kernel's."""
    if len(one) != len(other):
        return False
    return all(a.text.split(" ")[0] == b.text.split(" ")[0] for a, b in zip(one, other, strict=True))
