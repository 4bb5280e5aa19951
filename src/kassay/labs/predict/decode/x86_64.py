# SPDX-License-Identifier: GPL-2.0-only
"""x86_64. Registers: 0-15 general ones, 16-47 vectors, 48-55 masks, 56-63 x87 and MMX, then flags and bases."""

import re
from functools import cache
from typing import Any

from capstone import CS_AC_READ, CS_AC_WRITE, CS_ARCH_X86, CS_MODE_64, Cs
from capstone import x86_const as x86

from kassay.labs.predict.decode import (
    BASED,
    INDEXED,
    MOVE,
    MOVES_STACK,
    NEAR_BASE,
    NOP,
    PLAIN,
    PLAIN_ADDRESS,
    PREFETCH,
    PREFIXED,
    RELATIVE_IMMEDIATE,
    UNREADABLE,
    USES_STACK,
    ZERO,
    Facts,
    FactsDecoder,
)
from kassay.labs.predict.decode._x86_kinds import FREE_STACK, NO_ACCESS, SYSTEM_NAMES, kind_of, stack_bytes
from kassay.labs.predict.decode._x86_repairs import is_string, repair

_GENERAL = (
    ("rax", "eax", "ax", "al", "ah"), ("rcx", "ecx", "cx", "cl", "ch"), ("rdx", "edx", "dx", "dl", "dh"),
    ("rbx", "ebx", "bx", "bl", "bh"), ("rsp", "esp", "sp", "spl"), ("rbp", "ebp", "bp", "bpl"),
    ("rsi", "esi", "si", "sil"), ("rdi", "edi", "di", "dil"),
    *((f"r{n}", f"r{n}d", f"r{n}w", f"r{n}b") for n in range(8, 16)),
)  # fmt: skip
_RSP = 4
_CARRY, _FLAGS, _DIRECTION, _BASES, _MXCSR = 64, 65, 66, 67, 68
_NAMES = {_CARRY: "cf", _FLAGS: "flags", _DIRECTION: "df", _BASES: "bases", _MXCSR: "mxcsr"}
_NUMBERS = {name: number for number, family in enumerate(_GENERAL) for name in family} | {
    f"{kind}mm{n}": 16 + n for kind in "xyz" for n in range(32)
} | {f"k{n}": 48 + n for n in range(8)} | {f"mm{n}": 56 + n for n in range(8)} | {
    f"st({n})": 56 + n for n in range(8)
} | {"mxcsr": _MXCSR, "fs": _BASES, "gs": _BASES}  # fmt: skip
_NARROW = re.compile(r"(?:[abcd][lhx]|[sb]pl?|[sd]il?|r\d+[wb])$")
_PREFIXES = re.compile(r"^(?:(?:bnd|notrack|data16|addr32|xacquire|xrelease|repz|repnz|rep|repne|repe) )+(?=\w)")
_ZEROING = frozenset((
    "xor", "sub", "pxor", "xorps", "xorpd", "vpxor", "vxorps", "vxorpd", "vpxord", "vpxorq", "psubb", "psubw", "psubd",
    "psubq", "vpsubb", "vpsubw", "vpsubd", "vpsubq",
))  # fmt: skip
_COPYING = frozenset((
    "mov", "movaps", "movapd", "movdqa", "movdqu", "movups", "movupd", "vmovaps", "vmovapd", "vmovdqa", "vmovdqu",
    "vmovups", "vmovupd", "vmovdqa64", "vmovdqu64", "vmovdqa32", "vmovdqu32", "vmovdqu8",
))  # fmt: skip
_SHIFTS = frozenset(["shl", "shr", "sar", "rol", "ror", "rcl", "rcr", "shld", "shrd"])
_FUSING = frozenset(["cmp", "test", "and", "add", "sub", "inc", "dec"])
_SIGNS = frozenset(["js", "jns", "jo", "jno", "jp", "jnp"])
_CARRIES = frozenset(["ja", "jae", "jb", "jbe"])
_FLAG_BITS = {
    bit: (effect, flag)
    for name, bit in vars(x86).items()
    if (match := re.fullmatch(r"X86_EFLAGS_(MODIFY|PRIOR|RESET|TEST|SET|UNDEFINED)_(\w\w)", name))
    for effect, flag in [match.groups()]
}
_FLAG_NUMBERS = {"CF": _CARRY, "DF": _DIRECTION} | dict.fromkeys(("OF", "SF", "ZF", "AF", "PF"), _FLAGS)


@cache
def _facts(code: bytes) -> Facts:
    instruction = next(_engine().disasm(code, 0x1000, 1), None)
    if instruction is None or instruction.size != len(code):
        return Facts(UNREADABLE)
    name = _mnemonic(instruction)
    kind, system = kind_of(name, instruction)
    accesses = _Accesses(instruction, name)
    if kind == PLAIN:
        kind = _idiom(instruction, name) or kind
    if kind in (ZERO, NOP):
        accesses.data.clear()
    if kind in (PREFETCH, NOP) or name in NO_ACCESS:
        accesses.load = accesses.store = 0
        accesses.writes.clear()
    return Facts(
        form=_form(instruction, name),
        kind=kind,
        system=system,
        address_reads=tuple(sorted(accesses.address)),
        data_reads=tuple(sorted(accesses.data)),
        writes=tuple(sorted(accesses.writes)),
        load_bytes=accesses.load,
        store_bytes=accesses.store,
        locked=_atomic(name) and bool(accesses.load),
        exchanges=name == "xchg" and bool(accesses.load),
        address=_address(instruction, accesses),
        traits=_traits(instruction, name, accesses),
        opcode=_prefix_bytes(code),
    )


def _atomic(name: str) -> bool:
    return name == "xchg" or name.startswith("lock ")


_NEAR = range(2048)
_SUMS = frozenset(("adc", "add", "and", "or", "sbb", "sub", "xor"))
"""With a register to memory, none of these has its value renamed; `add` was measured."""
_LEGACY = frozenset(bytes.fromhex("f0f2f32e36263e65646667"))


def _prefix_bytes(code: bytes) -> int:
    """Number of prefixes with REX; that of VEX and EVEX counts as opcode."""
    count = next((n for n, byte in enumerate(code) if byte not in _LEGACY), len(code) - 1)
    return min(count + (code[count] >> 4 == 4), len(code) - 1)


def _traits(instruction: Any, name: str, accesses: "_Accesses") -> int:
    """Traits of decode/__init__.py. No mov is PREFIXED: since Sandy Bridge it is decoded at once (Agner Fog)."""
    memory = [operand.mem for operand in instruction.operands if operand.type == x86.X86_OP_MEM]
    prefixed = name != "mov" and instruction.prefix[2] == 0x66 and instruction.encoding.imm_size == 2
    near = len(accesses.address) == 1 and any(not m.index and not m.segment and m.disp in _NEAR for m in memory)
    moves = name in FREE_STACK
    uses = not moves and _RSP in accesses.address | accesses.data
    adds = accesses.store and name in _SUMS and any(operand.type == x86.X86_OP_REG for operand in instruction.operands)
    based = accesses.load and not adds and not any(m.index or m.base == x86.X86_REG_RIP for m in memory)
    return PREFIXED * prefixed | NEAR_BASE * near | MOVES_STACK * moves | USES_STACK * uses | BASED * bool(based)


def _address(instruction: Any, accesses: "_Accesses") -> str:
    memory = [operand.mem for operand in instruction.operands if operand.type == x86.X86_OP_MEM]
    if not memory or not (accesses.load or accesses.store):
        return PLAIN_ADDRESS
    if memory[0].index:
        return INDEXED
    immediate = any(operand.type == x86.X86_OP_IMM for operand in instruction.operands)
    return RELATIVE_IMMEDIATE if immediate and memory[0].base == x86.X86_REG_RIP else PLAIN_ADDRESS


class _Accesses:
    """Registers and memory that an instruction reads and writes."""

    def __init__(self, instruction: Any, name: str) -> None:
        self.address: set[int] = set()
        self.data: set[int] = set()
        self.writes: set[int] = set()
        self.load = self.store = 0
        bare = name.removeprefix("lock ")
        self._operands(instruction, bare)
        self._implicit(instruction, bare)
        self._flags(instruction, bare)
        load, store = stack_bytes(bare, instruction)
        if load or store:
            self.load, self.store = self.load + load, self.store + store
            self.address.add(_RSP)
        if bare in FREE_STACK:
            self.data.discard(_RSP)
            if bare != "pop" or instruction.operands[0].reg != x86.X86_REG_RSP:
                self.writes.discard(_RSP)
        repair(instruction, bare, self)

    def _operands(self, instruction: Any, name: str) -> None:
        for operand in instruction.operands:
            if operand.type == x86.X86_OP_MEM:
                self._memory(instruction, operand, name)
            elif operand.type == x86.X86_OP_REG:
                register = instruction.reg_name(operand.reg)
                number = _NUMBERS.get(register)
                if number is None:
                    continue
                if operand.access & CS_AC_READ:
                    self.data.add(number)
                if operand.access & CS_AC_WRITE:
                    self.writes.add(number)
                    if _NARROW.match(register):  # the rest of the register stays
                        self.data.add(number)

    def _memory(self, instruction: Any, operand: Any, name: str) -> None:
        into = self.data if name == "lea" else self.address
        for register in (operand.mem.base, operand.mem.index):
            number = _NUMBERS.get(instruction.reg_name(register) or "")
            if number is not None:
                into.add(number)
        if instruction.reg_name(operand.mem.segment) in ("fs", "gs"):
            into.add(_BASES)
        if name == "lea":
            return
        access = operand.access or CS_AC_READ
        if access & CS_AC_READ:
            self.load += operand.size
        if access & CS_AC_WRITE:
            self.store += operand.size

    def _implicit(self, instruction: Any, name: str) -> None:
        for registers, into in ((instruction.regs_read, self.data), (instruction.regs_write, self.writes)):
            for register in registers:
                number = _NUMBERS.get(instruction.reg_name(register))
                if number is not None and (into is self.writes or number not in self.address):
                    into.add(number)

    def _flags(self, instruction: Any, name: str) -> None:
        if x86.X86_GRP_FPU in instruction.groups:
            return
        for bit, (effect, flag) in _FLAG_BITS.items():
            if instruction.eflags & bit and flag in _FLAG_NUMBERS:
                (self.data if effect in ("TEST", "PRIOR") else self.writes).add(_FLAG_NUMBERS[flag])
        if name in _SHIFTS and instruction.op_str.endswith(", cl"):
            self.data |= {_CARRY, _FLAGS}  # a count of zero leaves them


def _mnemonic(instruction: Any) -> str:
    """ "lock add", "rep movsb", "mov": prefixes without effect are removed."""
    name = str(instruction.mnemonic)
    return name if is_string(instruction, name) else _PREFIXES.sub("", name)


def _idiom(instruction: Any, name: str) -> str:
    """zero, move or ""."""
    operands = instruction.operands
    if not 2 <= len(operands) <= 3 or any(operand.type != x86.X86_OP_REG for operand in operands):
        return ""  # with a mask there are four
    registers = [operand.reg for operand in operands]
    if name in _ZEROING and registers[-1] == registers[-2] and operands[-1].size >= 4:
        return ZERO
    plain = len(operands) == 2 and all(_NUMBERS.get(instruction.reg_name(r), 99) < 48 for r in registers)
    return MOVE if name in _COPYING and plain and operands[0].size >= 4 else ""


def _form(instruction: Any, name: str) -> str:
    if name == "nop" or is_string(instruction, name):
        return name
    operands = [_operand(instruction, operand, name) for operand in instruction.operands]
    if name in ("xchg", "xadd", "test", "lock xadd") and len(operands) == 2 and operands[1].startswith("m"):
        operands.reverse()
    return f"{name} {','.join(operands)}".strip()


def _operand(instruction: Any, operand: Any, name: str) -> str:
    if operand.type == x86.X86_OP_IMM:
        return "i"
    if operand.type == x86.X86_OP_MEM:
        if name == "lea":
            memory = operand.mem
            if memory.base and memory.index and memory.disp:
                return "three"
            return "scaled" if memory.index and memory.scale > 1 else "simple"
        return f"m{8 * operand.size}" + (f"b{operand.avx_bcast}" if operand.avx_bcast else "")
    register = instruction.reg_name(operand.reg)
    number = _NUMBERS.get(register)
    if register == "cl" and name in _SHIFTS:
        return "cl"
    if number is not None and number < 16:
        return "rh" if register in ("ah", "bh", "ch", "dh") else f"r{8 * operand.size}"
    return "sr" if register in ("ds", "es", "ss", "cs", "fs", "gs") else re.sub(r"\(?\d+\)?$", "", register)


def _name(number: int) -> str:
    if number < 16:
        return _GENERAL[number][0]
    if number < 48:
        return f"v{number - 16}"
    return f"k{number - 48}" if number < 56 else f"x87.{number - 56}" if number < 64 else _NAMES[number]


@cache
def _engine() -> Any:
    engine = Cs(CS_ARCH_X86, CS_MODE_64)
    engine.detail = True
    return engine


def _fuses(first: str, second: str) -> bool:
    """True if the two instructions fuse by Intel's manual (Optimization Reference Manual, Macro-Fusion).

    AMD's CPUs fuse no other pairs.
    """
    flags, condition = first.partition(" ")[0], second.partition(" ")[0]
    if condition.startswith(("jrcxz", "jecxz", "loop")) or flags not in _FUSING:
        return False
    if flags in ("test", "and"):
        return True
    return condition not in _SIGNS and not (flags in ("inc", "dec") and condition in _CARRIES)


DECODER = FactsDecoder(facts=_facts, registers=_name, fuses=_fuses, atomic=_atomic, system=SYSTEM_NAMES)
