# SPDX-License-Identifier: GPL-2.0-only
"""Code of a block -> which of its instructions are of a counted kind, and where its last one leads."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import capstone
from capstone import Cs

from kassay.arches import Arch, of_target
from kassay.errors import Defect

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
