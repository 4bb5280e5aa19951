# SPDX-License-Identifier: GPL-2.0-only
"""x86_64: one instruction after the other, with the fields that hold addresses taken out."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from capstone import CS_ARCH_X86, CS_MODE_64, CS_OPT_SYNTAX_ATT, Cs
from capstone import x86 as words

from kassay.codegen.code import (
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

_RELATIVE = 7  # CS_GRP_BRANCH_RELATIVE
_WORD = (1 << 64) - 1
_TRACERS = ("__fentry__", "mcount", "__mcount")
# Put in the place of an address before the instruction is written out, and found again in the text.
_MARK_DISP, _MARK_IMM = 0x5A17C0D1, 0x5A17C0D2
_MARK_LONG = 0x5A17C0D25A17C0D2


def _decode(part: Symbol, file: Linked) -> Iterator[Decoded]:
    """The instructions of one symbol; bytes that are none become ".byte"."""
    for one in _engine().disasm(part.code, part.spot[1]):
        code, offset = bytes(one.bytes), one.address - part.spot[1]
        if one.id == 0:
            yield Decoded(offset, one.size, f"{one.mnemonic} {one.op_str}", PLAIN, (), code)
        elif _RELATIVE in one.groups:
            yield _branch(one, part, file, code, offset)
        else:
            yield _plain(one, part, file, code, offset)


def _without_padding(code: bytes) -> bytes:
    """Instructions cannot be read backwards: a fill is taken off only where nothing but fills is left behind."""
    end = 0
    for one in _engine().disasm(code, 0):
        filling = one.mnemonic in ("int3", "nop", "nopw", "nopl") or not any(one.bytes)
        if not filling:
            end = one.address + one.size
    return code[:end]


def _branch(one: Any, part: Symbol, file: Linked, code: bytes, offset: int) -> Decoded:
    space = part.spot[0]
    refers = file.relocated((space, one.address + one.imm_offset), one.size - one.imm_offset)
    if refers is None:
        refers = Reference((space, one.operands[0].imm & _WORD))
    kind = CALL if one.mnemonic.startswith("call") else BRANCH
    if kind == CALL and name_of(refers, file) in _TRACERS:
        kind = TRACER
    return Decoded(
        offset, one.size, f"{one.mnemonic} {HOLE}", kind, (refers,), _put(code, one.imm_offset, 0, len(code))
    )


def _plain(one: Any, part: Symbol, file: Linked, code: bytes, offset: int) -> Decoded:
    kind = NOOP if one.mnemonic.startswith("nop") else TRAP if one.mnemonic == "int3" else PLAIN
    marked, zeroed, found = code, code, []
    for at, mark, refers in _addresses(one, part, file):
        width = 8 if mark == _MARK_LONG else 4
        marked, zeroed = _put(marked, at, mark, at + width), _put(zeroed, at, 0, at + width)
        found.append((mark, refers))
    if found:
        again = next(_engine().disasm(marked, one.address))
        text = f"{again.mnemonic} {again.op_str}".strip()
        for mark, _ in found:
            text = text.replace(f"{mark:#x}", HOLE)
        found.sort(key=lambda pair: pair[0] == _MARK_DISP)  # AT&T: the immediate first
    else:
        text = f"{one.mnemonic} {one.op_str}".strip()
    return Decoded(offset, one.size, text, kind, tuple(refers for _, refers in found), zeroed)


def _addresses(one: Any, part: Symbol, file: Linked) -> Iterator[tuple[int, int, Reference]]:
    """(offset in the instruction, mark, what it refers to) of each field that holds an address."""
    space = part.spot[0]
    memory = next((operand.mem for operand in one.operands if operand.type == words.X86_OP_MEM), None)
    # Of an instruction with 16-bit operands the disassembler takes the displacement for 16 bits, too.
    if one.disp_size in (2, 4) and one.modrm >> 6 != 1 and memory is not None:
        at = one.disp_offset
        refers = file.relocated((space, one.address + at), one.size - at)
        if refers is None and memory.base == words.X86_REG_RIP:
            refers = Reference((space, (one.address + one.size + memory.disp) & _WORD))
        elif refers is None:
            per_cpu = memory.segment == words.X86_REG_GS and memory.base == words.X86_REG_INVALID
            refers = _number(file, memory.disp & _WORD, per_cpu)
        if refers is not None:
            yield at, _MARK_DISP, refers
    if one.imm_size in (4, 8) and any(operand.type == words.X86_OP_IMM for operand in one.operands):
        at = one.imm_offset
        refers = file.relocated((space, one.address + at), one.size - at)
        if refers is None:
            value = next(operand.imm for operand in one.operands if operand.type == words.X86_OP_IMM)
            refers = _number(file, value & _WORD, False)
        if refers is not None:
            yield at, _MARK_LONG if one.imm_size == 8 else _MARK_IMM, refers


def _number(file: Linked, value: int, per_cpu: bool) -> Reference | None:
    spot = file.absolute(value, per_cpu)
    return None if spot is None else Reference(spot)


def _put(code: bytes, start: int, value: int, end: int) -> bytes:
    return code[:start] + (value & ((1 << 8 * (end - start)) - 1)).to_bytes(end - start, "little") + code[end:]


@cache
def _engine() -> Any:
    engine = Cs(CS_ARCH_X86, CS_MODE_64)
    engine.detail, engine.skipdata, engine.syntax = True, True, CS_OPT_SYNTAX_ATT
    return engine


DECODER = Decoder(
    decode=_decode,
    without_padding=_without_padding,
    indirect=("call", "jmp"),
    returns=("__x86_return_thunk",),
    relative=frozenset((2, 4, 9, 24, 41, 42)),  # PC32, PLT32, GOTPCREL, PC64, GOTPCRELX, REX_GOTPCRELX
    tables={1: (8, False), 2: (4, True)},  # R_X86_64_64, PC32
)
