# SPDX-License-Identifier: GPL-2.0-only
"""arm64: instructions in order; an address needs two of them, for its page (adrp) and for the offset in the page."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from capstone import CS_ARCH_ARM64, CS_MODE_ARM, CS_OPT_SYNTAX_DEFAULT, Cs

from kassay.supply.machine_code.code import (
    BRANCH,
    CALL,
    HOLE,
    NOOP,
    PLAIN,
    TRACER,
    TRAP,
    Decoded,
    Decoder,
    Linked,
    Reference,
    Symbol,
    name_of,
)

_TRACERS = ("_mcount", "__fentry__")
_LAST = re.compile(r"#-?(?:0x)?[0-9a-f]+(?!.*#)")
_FIELD = 0x5A5  # put into an empty 12-bit field, so that it is written out
_IMM12, _IMM26, _IMM19, _IMM14, _ADR = 0xFFF << 10, 0x3FFFFFF, 0x7FFFF << 5, 0x3FFF << 5, (3 << 29) | (0x7FFFF << 5)
_BRANCHES = {"b": _IMM26, "bl": _IMM26, "cbz": _IMM19, "cbnz": _IMM19, "tbz": _IMM14, "tbnz": _IMM14}
_CALLER_SAVED = range(19)
_FILLS = (bytes.fromhex("1f2003d5"), bytes(4))


def _decode(part: Symbol, file: Linked) -> Iterator[Decoded]:
    """The instructions of one symbol; other words become ".byte"."""
    pages: dict[int, int] = {}
    for instruction in _engine().disasm(part.code, part.spot[1]):
        code, offset = bytes(instruction.bytes), instruction.address - part.spot[1]
        refers, mask = (None, 0) if instruction.id == 0 else _address(instruction, part, file, pages)
        text, kind = f"{instruction.mnemonic} {instruction.op_str}".strip(), _kind(instruction.mnemonic)
        if refers is not None:
            word = int.from_bytes(code, "little")
            text = _with_hole(instruction, word, mask)
            kind = TRACER if kind == CALL and name_of(refers, file) in _TRACERS else kind
            code = (word & ~mask).to_bytes(4, "little")
        _follow(instruction, pages, kind)
        yield Decoded(offset, instruction.size, text, kind, () if refers is None else (refers,), code)


def _kind(mnemonic: str) -> str:
    if mnemonic == "bl":
        return CALL
    if mnemonic in _BRANCHES or mnemonic.startswith("b."):
        return BRANCH
    return NOOP if mnemonic == "nop" else TRAP if mnemonic == "udf" else PLAIN


def _address(instruction: Any, part: Symbol, file: Linked, pages: dict[int, int]) -> tuple[Reference | None, int]:
    """The address that the instruction's field refers to, and the bits of the field."""
    word, space = int.from_bytes(instruction.bytes, "little"), part.spot[0]
    refers = file.relocated((space, instruction.address), 0)
    mask = _field(instruction.mnemonic, word)
    if mask is None:
        return None, 0
    if instruction.mnemonic == "adrp":  # the second instruction names the symbol
        return Reference(None, "page"), mask
    if refers is not None:
        return refers, mask
    if mask != _IMM12:
        return Reference((space, instruction.operands[-1].imm & (1 << 64) - 1)), mask
    page = pages.get((word >> 5) & 31)
    if page is None:
        return None, 0
    value = ((word >> 10) & 0xFFF) << _scale(word)
    return Reference((space, page + value)), mask


def _field(mnemonic: str, word: int) -> int | None:
    """Bits of the field that may hold an address; None for an instruction without."""
    if mnemonic in _BRANCHES:
        return _BRANCHES[mnemonic]
    if mnemonic.startswith("b."):
        return _IMM19
    if mnemonic in ("adr", "adrp"):
        return _ADR
    if word & 0x3B000000 == 0x18000000:  # load, literal
        return _IMM19
    add = word & 0x7FC00000 == 0x11000000
    load_store = word & 0x3B000000 == 0x39000000
    return _IMM12 if add or load_store else None


def _scale(word: int) -> int:
    """Number of bits by which the 12-bit offset of a load or store is shifted; 0 for an add, whose offset counts
    bytes."""
    if word & 0x3B000000 != 0x39000000:
        return 0
    vector_128 = word & 0x04800000 == 0x04800000 and not word >> 30
    return 4 if vector_128 else word >> 30


def _with_hole(instruction: Any, word: int, mask: int) -> str:
    if mask == _IMM12:
        marked = (word & ~mask | _FIELD << 10).to_bytes(4, "little")
        instruction = next(_engine().disasm(marked, instruction.address))
        return f"{instruction.mnemonic} " + _LAST.sub(f"lo12({HOLE})", instruction.op_str)
    return f"{instruction.mnemonic} " + _LAST.sub(HOLE, instruction.op_str)


def _follow(instruction: Any, pages: dict[int, int], kind: str) -> None:
    """Updates the pages that registers hold. Instructions are read in the order of addresses; jumps are ignored."""
    if instruction.id == 0:
        return
    word = int.from_bytes(instruction.bytes, "little")
    if kind in (CALL, TRACER) or instruction.mnemonic.startswith("blr"):
        for register in _CALLER_SAVED:
            pages.pop(register, None)
        return
    for name in (instruction.reg_name(register) for register in instruction.regs_access()[1]):
        if name[0] in "xw" and name[1:].isdigit():
            pages.pop(int(name[1:]), None)
    if instruction.mnemonic == "adrp":
        pages[word & 31] = instruction.operands[-1].imm & (1 << 64) - 1


@cache
def _engine() -> Any:
    engine = Cs(CS_ARCH_ARM64, CS_MODE_ARM)
    engine.detail, engine.skipdata, engine.syntax = True, True, CS_OPT_SYNTAX_DEFAULT
    return engine


def _without_padding(code: bytes) -> bytes:
    while code[-4:] in _FILLS:
        code = code[:-4]
    return code


DECODER = Decoder(
    decode=_decode,
    without_padding=_without_padding,
    indirect=("blr", "br "),
    returns=(),
    relative=frozenset(),
    tables={257: (8, False), 261: (4, True)},  # R_AARCH64_ABS64, PREL32
)
