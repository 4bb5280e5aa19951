# SPDX-License-Identifier: GPL-2.0-only
"""Blocks of code -> the functions they belong to, what their instructions are, and where the last one leads."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import capstone
from capstone import Cs

from kassay.arches import CALL, Arch, of_target
from kassay.errors import Defect
from kassay.profile.counters import CodeBlock, RawProfile
from kassay.profile.symbols import Symbols, is_kernel, nameless

_WORD = (1 << 64) - 1


class Code(NamedTuple):
    """atomics, tlb, strings: numbers of the instructions that are atomic read-modify-writes, TLB or page-table register
    maintenance, repeated string instructions. end: how the last one leaves the block (a word of kassay.arches).
    target: address of a direct call, jump or branch."""

    atomics: tuple[int, ...]
    tlb: tuple[int, ...]
    strings: tuple[int, ...]
    end: str
    target: int | None


def decode(target: str, address: int, lengths: bytes, code: bytes) -> Code:
    """target: as QEMU calls it (Qemu.target). Instructions that are not understood are plain."""
    found = _decode(target, lengths, code)
    return found if found.target is None else found._replace(target=address + found.target & _WORD)


@lru_cache(maxsize=1 << 17)
def _decode(target: str, lengths: bytes, code: bytes) -> Code:
    """As if at address 0, so that the same code is decoded once."""
    kinds: dict[str, list[int]] = {"atomic": [], "tlb": [], "string": []}
    arch = _arch(target)
    mnemonic, operands = "", ""
    for number, (mnemonic, operands) in enumerate(_instructions(target, lengths, code)):
        kind = arch.code.kind(mnemonic, operands)
        if kind:
            kinds[kind].append(number)
    end, leads_to = arch.code.ending(mnemonic, operands)
    return Code(tuple(kinds["atomic"]), tuple(kinds["tlb"]), tuple(kinds["string"]), end, leads_to)


def _instructions(target: str, lengths: bytes, code: bytes) -> Iterator[tuple[str, str]]:
    """(mnemonic, operands); the mnemonic of what is not understood is its bytes in hex."""
    engine, at, number = _engine(target), 0, 0
    while number < len(lengths):
        for _, size, mnemonic, operands in engine.disasm_lite(code[at:], at):
            if number == len(lengths) or size != lengths[number]:
                break
            yield mnemonic, operands
            at, number = at + size, number + 1
        if number < len(lengths):
            size = lengths[number]
            yield code[at : at + size].hex(), ""
            at, number = at + size, number + 1


@cache
def _engine(target: str) -> Cs:
    return Cs(*(getattr(capstone, name) for name in _arch(target).code.capstone))


def _arch(target: str) -> Arch:
    found = of_target(target)
    if found is None:
        raise Defect(f"a profile of {target} was read, which no architecture is called")
    return found


_CALL_OVER_BYTES = 16
"""A call so short leads over a few bytes to use the stack or to learn its own address; it calls nothing."""
_FEWEST_CALLS, _LEAST_SHARE = 10, 0.9


class Span(NamedTuple):
    """Instructions first to last (exclusive) belong to this function."""

    function: str
    place: str
    first: int
    last: int


class Placed(NamedTuple):
    """A block. spans: its instructions by function. entries: numbers of instructions that are a function's first.
    callee: name of the function that its direct call or jump leads to; into: whether to its first instruction."""

    spans: tuple[Span, ...]
    entries: tuple[int, ...]
    code: Code
    kernel: bool
    end: int
    callee: str | None
    into: bool

    @property
    def begins(self) -> bool:
        """Whether the block begins with a function's first instruction."""
        return self.entries[:1] == (0,)

    @property
    def calls_over(self) -> bool:
        """Whether a direct call at the block's end only leads over a few bytes."""
        return self.code.target is not None and 0 <= self.code.target - self.end < _CALL_OVER_BYTES


_kept: WeakKeyDictionary[Symbols, dict[CodeBlock, Placed]] = WeakKeyDictionary()
"""Runs of the same kernel share nearly all their blocks."""


def placed(raw: RawProfile, symbols: Symbols, numbers: Iterable[int] | None = None) -> Mapping[int, Placed]:
    """The blocks with these numbers; every block of the profile by default, which a large program has hundred thousands
    of. symbols: of one kernel, hence of one target."""
    shared, own = _kept.setdefault(symbols.kernel, {}), _kept.setdefault(symbols, {})
    found = {}
    for number in raw.blocks if numbers is None else numbers:
        block = raw.blocks[number]
        known = shared if is_kernel(block.address) else own
        place = known.get(block)
        if place is None:
            place = known[block] = _place(raw.target, block, symbols)
        found[number] = place
    return found


def _place(target: str, block: CodeBlock, symbols: Symbols) -> Placed:
    address, lengths, code = block
    spans: list[Span] = []
    entries = []
    at, number, count = address, 0, len(lengths)
    while number < count:
        function = symbols.function(at)
        first, began = number, at
        while number < count and (at < function.end if function else at == began or symbols.function(at) is None):
            if function and at == function.entry:
                entries.append(number)
            at += lengths[number]
            number += 1
        name, place = (function.name, function.place) if function else nameless(began)
        spans.append(Span(name, place, first, number))
    decoded = decode(target, address, lengths, code)
    leads_to = None if decoded.target is None else symbols.function(decoded.target)
    return Placed(
        spans=tuple(spans),
        entries=tuple(entries),
        code=decoded,
        kernel=is_kernel(address),
        end=address + len(code),
        callee=None if decoded.target is None else leads_to.name if leads_to else nameless(decoded.target)[0],
        into=leads_to is not None and leads_to.entry == decoded.target,
    )


def mismatch(raw: RawProfile, blocks: Mapping[int, Placed]) -> str:
    """A sentence when the places that the kernel's direct calls lead to are not functions, else ""."""
    targets = {
        block.code.target: block.into
        for number, block in blocks.items()
        if block.code.end == CALL and block.kernel and raw.changes[number] and not block.calls_over
    }
    found = sum(targets.values())
    if len(targets) < _FEWEST_CALLS or found >= _LEAST_SHARE * len(targets):
        return ""
    return f"the symbol table does not match the image: {found} of {len(targets)} call targets are functions"
