# SPDX-License-Identifier: GPL-2.0-only
"""A function's instructions with names and labels instead of addresses, and how often each was executed."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

import msgspec

from kassay.effects.files import sha256_bytes
from kassay.model.codegen import Call, Instruction
from kassay.supply.machine_code.code import (
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

_DROPPED = (NOOP, TRAP, TRACER)
INDIRECT = "(indirect)"
_PATCHED = "nop (patched at boot)"


class Listing(NamedTuple):
    """Instructions of one function, with names and labels instead of addresses."""

    instructions: tuple[Instruction, ...]
    """Instructions without padding."""
    spots: tuple[Spot, ...]
    """Place of each instruction, in the same order."""
    sha256: str
    """Hash of the instructions."""
    bytes_sha256: str
    """Hash of the bytes, padding included, with fields that hold addresses zeroed."""
    calls: tuple[Call, ...]
    """Functions that are called, the one with the most call sites first."""


class _Placed(NamedTuple):
    part: str
    spot: Spot
    decoded: Decoded


def listing(function: FunctionCode) -> Listing:
    """The whole function, part after part."""
    decode = decoder_of(function.file.arch).decode
    parts = [
        [
            _Placed(part.name, (part.spot[0], part.spot[1] + decoded.offset), decoded)
            for decoded in decode(part, function.file)
        ]
        for part in function.parts
    ]
    everything = [placed for part in parts for placed in part]
    remaining = [[placed for placed in _with_patch_sites(part) if _stays(placed, function)] for part in parts]
    flat = tuple(placed for part in remaining for placed in part)
    inside = _homes(everything, {placed.spot for placed in flat})
    labels = _labels(flat, inside, function)
    instructions = [[_instruction(placed, inside, labels, function) for placed in part] for part in remaining]
    text = "\n\n".join("\n".join(f"{line.label}\t{line.text}" for line in part) for part in instructions)
    return Listing(
        instructions=tuple(instruction for part in instructions for instruction in part),
        spots=tuple(placed.spot for placed in flat),
        sha256=sha256_bytes(f"{function.file.arch}\n{text}\n".encode()),
        bytes_sha256=sha256_bytes(
            b"\0\xff\0".join(b"".join(_bytes(placed, part) for placed in part) for part in parts)
        ),
        calls=_calls(flat, inside, function),
    )


def _stays(placed: _Placed, function: FunctionCode) -> bool:
    return placed.decoded.kind not in _DROPPED or function.file.static_branch(placed.spot) is not None


def _with_patch_sites(part: list[_Placed]) -> list[_Placed]:
    """Two or more no-ops of one byte in a row are space for code that is patched in at boot, not alignment."""
    marked = []
    for before, placed, behind in zip([None, *part[:-1]], part, [*part[1:], None], strict=False):
        room = _is_room(placed) and (_is_room(before) or _is_room(behind))
        marked.append(placed._replace(decoded=placed.decoded._replace(kind=PLAIN, text=_PATCHED)) if room else placed)
    return marked


def _is_room(placed: _Placed | None) -> bool:
    return placed is not None and placed.decoded.zeroed == b"\x90"


def _homes(everything: Iterable[_Placed], remaining: set[Spot]) -> Mapping[Spot, Spot]:
    """Spot of every instruction -> its own spot, or that of the next instruction in `remaining`."""
    homes: dict[Spot, Spot] = {}
    waiting: list[Spot] = []
    for placed in everything:
        waiting.append(placed.spot)
        if placed.spot in remaining:
            homes |= dict.fromkeys(waiting, placed.spot)
            waiting = []
    return homes


def _references(placed: _Placed, inside: Mapping[Spot, Spot], function: FunctionCode) -> tuple[Reference, ...]:
    branch = function.file.static_branch(placed.spot)
    led = (Reference(spot) for refers in placed.decoded.references for spot in _table(placed, refers, inside, function))
    return (*placed.decoded.references, *led, *((Reference(branch.target),) if branch is not None else ()))


def _table(placed: _Placed, refers: Reference, inside: Mapping[Spot, Spot], function: FunctionCode) -> list[Spot]:
    """The spots of a switch's cases, if `refers` is their table; else none. Their order is part of the code."""
    if refers.spot is None or refers.spot in inside or placed.decoded.kind != PLAIN:
        return []
    return list(takewhile(inside.__contains__, function.file.table(refers.spot)))


def _labels(remaining: Sequence[_Placed], inside: Mapping[Spot, Spot], function: FunctionCode) -> Mapping[Spot, str]:
    """ ".L1" and so on, in the order of the instructions that are referred to."""
    spots = [r.spot for placed in remaining for r in _references(placed, inside, function)]
    wanted = {inside[spot] for spot in spots if spot is not None and spot in inside}
    ordered = [placed.spot for placed in remaining if placed.spot in wanted]
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
    stays_inside = all(r.spot is not None and first <= r.spot <= last for r in placed.decoded.references)
    if placed.decoded.kind == BRANCH and stays_inside:
        distance = placed.decoded.references[0].spot[1] - placed.spot[1]  # type: ignore[index]  # own: there is a spot
        return placed.decoded.zeroed + distance.to_bytes(8, "little", signed=True)
    return placed.decoded.zeroed


def _calls(remaining: Iterable[_Placed], inside: Mapping[Spot, Spot], function: FunctionCode) -> tuple[Call, ...]:
    """Calls, and jumps that leave the function."""
    sites_of: Counter[str] = Counter()
    decoder = decoder_of(function.file.arch)
    for placed in remaining:
        decoded = placed.decoded
        if decoded.kind in (CALL, BRANCH):
            refers = decoded.references[0]
            if refers.spot is None or refers.spot not in inside or decoded.kind == CALL:
                sites_of[name_of(refers, function.file)] += 1
        elif any(_table(placed, refers, inside, function) for refers in decoded.references):
            continue  # the cases of a switch are in the function
        elif decoded.text.startswith(decoder.indirect):
            name = next((name_of(refers, function.file) for refers in decoded.references), "")
            sites_of[f"*{name}" if name else INDIRECT] += 1
    left = [(name, sites) for name, sites in sites_of.items() if name not in decoder.returns]
    return tuple(Call(callee=name, sites=sites) for name, sites in sorted(left, key=lambda pair: (-pair[1], pair[0])))


class Counted(NamedTuple):
    """Executions of one function per operation."""

    executed: float
    """All instructions that ran inside the function, no-ops included."""
    counts: tuple[float, ...]
    """Executions of each instruction of the listing."""


def counted(function: FunctionCode, listing: Listing, executions: Mapping[int, int], operations: int) -> Counted:
    """executions: by address. Code that is patched in at boot counts for the instruction that it replaced."""
    addresses = sorted(executions)

    def between(start: int, end: int) -> int:
        return sum(executions[at] for at in addresses[bisect_left(addresses, start) : bisect_left(addresses, end)])

    total = sum(between(part.spot[1], part.spot[1] + len(part.code)) for part in function.parts)
    each = (
        between(spot[1], spot[1] + instruction.size)
        for spot, instruction in zip(listing.spots, listing.instructions, strict=True)
    )
    return Counted(total / operations, tuple(count / operations for count in each))


def with_counts(instructions: Sequence[Instruction], counts: Sequence[float]) -> tuple[Instruction, ...]:
    """The instructions, each with its count."""
    return tuple(
        msgspec.structs.replace(instruction, count=count)
        for instruction, count in zip(instructions, counts, strict=True)
    )


def same_shape(first: Sequence[Instruction], second: Sequence[Instruction]) -> bool:
    """True if the listings of an object and of the linked kernel have the same instructions apart from names."""
    if len(first) != len(second):
        return False
    return all(a.text.split(" ")[0] == b.text.split(" ")[0] for a, b in zip(first, second, strict=True))
