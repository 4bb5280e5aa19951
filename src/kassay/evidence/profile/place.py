# SPDX-License-Identifier: GPL-2.0-only
"""Blocks of code -> their functions, the kinds of their instructions, and the target of the last one."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from kassay.errors import Defect
from kassay.evidence.profile.counters import CodeBlock, RawProfile
from kassay.evidence.profile.symbols import Symbols, is_kernel, nameless
from kassay.supply.arches import CALL, Arch, of_target

if TYPE_CHECKING:
    from capstone import Cs

_WORD = (1 << 64) - 1


class Code(NamedTuple):
    """Decoded instructions of a block. An instruction is known by its number."""

    atomics: tuple[int, ...]
    """Atomic read-modify-writes."""
    tlb: tuple[int, ...]
    """Instructions that maintain TLB or page-table registers."""
    strings: tuple[int, ...]
    """Repeated string instructions."""
    end: str
    """Way in which the last one leaves the block (a word of kassay.supply.arches)."""
    target: int | None
    """Address of a direct call, jump or branch."""


def decode(target: str, address: int, lengths: bytes, code: bytes) -> Code:
    """target: as QEMU calls it (Qemu.target). Unknown instructions count as plain."""
    kinds: dict[str, list[int]] = {"atomic": [], "tlb": [], "string": []}
    if _arch(target).code.kind_bytes.search(code):
        at = 0
        for number, length in enumerate(lengths):
            if kind := _kind(target, code[at : at + length]):
                kinds[kind].append(number)
            at += length
    last = len(code) - lengths[-1]
    end, leads_to = _ending(target, code[last:])
    if leads_to is not None:
        leads_to = address + last + leads_to & _WORD
    return Code(tuple(kinds["atomic"]), tuple(kinds["tlb"]), tuple(kinds["string"]), end, leads_to)


# A profile has millions of instructions, and most of them are equal to others: each is decoded once, at address 0.
@lru_cache(maxsize=1 << 17)
def _kind(target: str, code: bytes) -> str:
    return _arch(target).code.kind(*_instruction(target, code))


@lru_cache(maxsize=1 << 15)
def _ending(target: str, code: bytes) -> tuple[str, int | None]:
    return _arch(target).code.ending(*_instruction(target, code))


def last_mnemonic(target: str, lengths: bytes, code: bytes) -> str:
    """Mnemonic of a block's last instruction; its bytes in hex if it is unknown."""
    return _instruction(target, code[-lengths[-1] :])[0]


def _instruction(target: str, code: bytes) -> tuple[str, str]:
    """(mnemonic, operands) of one instruction; the mnemonic of an unknown one is its bytes in hex."""
    for _, size, mnemonic, operands in _engine(target).disasm_lite(code, 0, 1):
        if size == len(code):
            return mnemonic, operands
    return code.hex(), ""


@cache
def _engine(target: str) -> "Cs":
    import capstone  # late: it is large, and a measurement needs none

    return capstone.Cs(*(getattr(capstone, name) for name in _arch(target).code.capstone))


@cache
def _arch(target: str) -> Arch:
    arch = of_target(target)
    if arch is None:
        raise Defect(f"a profile of {target} was read, which no architecture is called")
    return arch


_CALL_OVER_BYTES = 16
"""A call over so few bytes only uses the stack or reads its own address; it calls no function."""
_FEWEST_CALLS, _LEAST_SHARE = 10, 0.9


class Span(NamedTuple):
    """Instructions first to last (exclusive) belong to this function."""

    function: str
    place: str
    first: int
    last: int


class Placed(NamedTuple):
    """A block with its place in the functions."""

    spans: tuple[Span, ...]
    """Its instructions by function."""
    entries: tuple[int, ...]
    """Numbers of instructions that are a function's first."""
    code: Code
    kernel: bool
    end: int
    callee: str | None
    """Name of the function that its direct call or jump leads to."""
    into: bool
    """True if that call or jump leads to the first instruction."""

    @property
    def begins(self) -> bool:
        """True if the block begins with a function's first instruction."""
        return self.entries[:1] == (0,)

    @property
    def calls_over(self) -> bool:
        """True if a direct call at the block's end only leads over a few bytes."""
        return self.code.target is not None and 0 <= self.code.target - self.end < _CALL_OVER_BYTES


_cached_blocks: WeakKeyDictionary[Symbols, dict[CodeBlock, Placed]] = WeakKeyDictionary()
"""Places of blocks, cached for each kernel and each program: runs of the same one share nearly all their blocks."""


def placed(raw: RawProfile, symbols: Symbols, numbers: Iterable[int] | None = None) -> Mapping[int, Placed]:
    """The blocks with these numbers; by default every block of the profile, hundreds of thousands for a large program.
    symbols: of one kernel, hence of one target."""
    kernel, program = ((part, _cached_blocks.setdefault(part, {})) for part in (symbols.kernel, symbols.program))
    blocks = {}
    for number in raw.blocks if numbers is None else numbers:
        block = raw.blocks[number]
        part, cached = kernel if is_kernel(block.address) else program
        placed_block = cached.get(block)
        if placed_block is None:
            placed_block = cached[block] = _placed_block(raw.target, block, part)
        blocks[number] = placed_block
    return blocks


def _placed_block(target: str, block: CodeBlock, symbols: Symbols) -> Placed:
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
    """A sentence when the targets of the kernel's direct calls are not functions, else ""."""
    targets = {
        block.code.target: block.into
        for number, block in blocks.items()
        if block.code.end == CALL and block.kernel and raw.changes[number] and not block.calls_over
    }
    entered = sum(targets.values())
    if len(targets) < _FEWEST_CALLS or entered >= _LEAST_SHARE * len(targets):
        return ""
    return f"the symbol table does not match the image: {entered} of {len(targets)} call targets are functions"
