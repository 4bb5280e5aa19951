# SPDX-License-Identifier: GPL-2.0-only
"""x86_64: instructions in order, with the fields that hold addresses taken out."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from capstone import CS_ARCH_X86, CS_MODE_64, CS_OPT_SYNTAX_ATT, Cs
from capstone import x86 as words

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

_RELATIVE = 7  # CS_GRP_BRANCH_RELATIVE
_WORD = (1 << 64) - 1
_TRACERS = ("__fentry__", "mcount", "__mcount")
# They replace an address before the instruction is written out, and are then searched for in the text.
_MARK_DISP, _MARK_IMM = 0x5A17C0D1, 0x5A17C0D2
_MARK_LONG = 0x5A17C0D25A17C0D2


def _decode(part: Symbol, file: Linked) -> Iterator[Decoded]:
    """The instructions of one symbol; other bytes become ".byte"."""
    for instruction in _engine().disasm(part.code, part.spot[1]):
        code, offset = bytes(instruction.bytes), instruction.address - part.spot[1]
        if instruction.id == 0:
            yield Decoded(offset, instruction.size, f"{instruction.mnemonic} {instruction.op_str}", PLAIN, (), code)
        elif _RELATIVE in instruction.groups:
            yield _branch(instruction, part, file, code, offset)
        else:
            yield _plain(instruction, part, file, code, offset)


def _without_padding(code: bytes) -> bytes:
    """The code up to its last instruction that is no fill; instructions cannot be read backwards."""
    end = 0
    for instruction in _engine().disasm(code, 0):
        filling = instruction.mnemonic in ("int3", "nop", "nopw", "nopl") or not any(instruction.bytes)
        if not filling:
            end = instruction.address + instruction.size
    return code[:end]


def _branch(instruction: Any, part: Symbol, file: Linked, code: bytes, offset: int) -> Decoded:
    space = part.spot[0]
    refers = file.relocated(
        (space, instruction.address + instruction.imm_offset), instruction.size - instruction.imm_offset
    )
    if refers is None:
        refers = Reference((space, instruction.operands[0].imm & _WORD))
    kind = CALL if instruction.mnemonic.startswith("call") else BRANCH
    if kind == CALL and name_of(refers, file) in _TRACERS:
        kind = TRACER
    return Decoded(
        offset,
        instruction.size,
        f"{instruction.mnemonic} {HOLE}",
        kind,
        (refers,),
        _put(code, instruction.imm_offset, 0, len(code)),
    )


def _plain(instruction: Any, part: Symbol, file: Linked, code: bytes, offset: int) -> Decoded:
    kind = NOOP if instruction.mnemonic.startswith("nop") else TRAP if instruction.mnemonic == "int3" else PLAIN
    marked, zeroed, fields = code, code, []
    for at, mark, refers in _addresses(instruction, part, file):
        width = 8 if mark == _MARK_LONG else 4
        marked, zeroed = _put(marked, at, mark, at + width), _put(zeroed, at, 0, at + width)
        fields.append((mark, refers))
    if fields:
        again = next(_engine().disasm(marked, instruction.address))
        text = f"{again.mnemonic} {again.op_str}".strip()
        for mark, _ in fields:
            text = text.replace(f"{mark:#x}", HOLE)
        fields.sort(key=lambda pair: pair[0] == _MARK_DISP)  # AT&T: the immediate first
    else:
        text = f"{instruction.mnemonic} {instruction.op_str}".strip()
    return Decoded(offset, instruction.size, text, kind, tuple(refers for _, refers in fields), zeroed)


def _addresses(instruction: Any, part: Symbol, file: Linked) -> Iterator[tuple[int, int, Reference]]:
    """(offset in the instruction, mark, what it refers to) of each field that holds an address."""
    space = part.spot[0]
    memory = next((operand.mem for operand in instruction.operands if operand.type == words.X86_OP_MEM), None)
    # For 16-bit operands the disassembler reports a displacement of 16 bits, too; it has 32.
    if instruction.disp_size in (2, 4) and instruction.modrm >> 6 != 1 and memory is not None:
        at = instruction.disp_offset
        refers = file.relocated((space, instruction.address + at), instruction.size - at)
        if refers is None and memory.base == words.X86_REG_RIP:
            refers = Reference((space, (instruction.address + instruction.size + memory.disp) & _WORD))
        elif refers is None:
            per_cpu = memory.segment == words.X86_REG_GS and memory.base == words.X86_REG_INVALID
            refers = _number(file, memory.disp & _WORD, per_cpu)
        if refers is not None:
            yield at, _MARK_DISP, refers
    if instruction.imm_size in (4, 8) and any(operand.type == words.X86_OP_IMM for operand in instruction.operands):
        at = instruction.imm_offset
        refers = file.relocated((space, instruction.address + at), instruction.size - at)
        if refers is None:
            value = next(operand.imm for operand in instruction.operands if operand.type == words.X86_OP_IMM)
            refers = _number(file, value & _WORD, False)
        if refers is not None:
            yield at, _MARK_LONG if instruction.imm_size == 8 else _MARK_IMM, refers


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
