# SPDX-License-Identifier: GPL-2.0-only
"""x86_64: corrections of what the disassembler says of an instruction."""

import re
from typing import Any, Protocol

from capstone import x86_const as x86

_RAX, _RCX, _RBP, _RSI, _RDI, _X87, _CARRY, _FLAGS, _DIRECTION = 0, 1, 5, 6, 7, 56, 64, 65, 66
STRINGS = re.compile(r"(?:rep\w* )?(?:movs|stos|lods|scas|cmps|ins|outs)[bwdq]")
_STORES = re.compile(
    r"v?(?:mov|pextr|extract|cvtps2ph|stmxcsr).*|vp?maskmov.*|vp?(?:compress|scatter).*|f(?:|i|b)stt?p?|fnst[cs]w|wru?ss.*"
)
"""Instructions that only store where their first operand is in memory. The disassembler says of some that they load."""
_SCALAR = ("cvtsi2s", "cvtss2sd", "cvtsd2ss", "sqrts", "rounds", "rcpss", "rsqrtss")
_TESTS = frozenset((
    "ptest", "vptest", "vtestps", "vtestpd", "comiss", "comisd", "ucomiss", "ucomisd", "vcomiss", "vcomisd", "vucomiss",
    "vucomisd", "pcmpistri", "pcmpistrm", "pcmpestri", "pcmpestrm", "vpcmpistri", "vpcmpistrm", "vpcmpestri",
    "vpcmpestrm", "kortestb", "kortestw", "kortestd", "kortestq", "ktestb", "ktestw", "ktestd", "ktestq",
))  # fmt: skip


class Accesses(Protocol):
    address: set[int]
    data: set[int]
    writes: set[int]
    load: int
    store: int


def repair(instruction: Any, name: str, accesses: Accesses) -> None:
    """Corrects what an instruction reads and writes. name: its mnemonic without lock."""
    into_memory = bool(instruction.operands) and instruction.operands[0].type == x86.X86_OP_MEM
    if name.startswith("cmpxchg"):
        accesses.writes.add(_RAX)
        accesses.store = accesses.load
    elif name.startswith(("cmov", "bsf", "bsr")) or (name.startswith(_SCALAR) and not into_memory):
        accesses.data |= accesses.writes - {_CARRY, _FLAGS}  # the old value stays, or is merged
    elif into_memory and _STORES.fullmatch(name) and not is_string(instruction, name):
        accesses.load, accesses.store = 0, accesses.load or accesses.store
    elif name in ("cqo", "cdq", "cwd"):
        accesses.writes.discard(_RAX)
    elif name == "cmc":
        accesses.data.add(_CARRY)
    elif name in _TESTS:
        accesses.writes |= {_CARRY, _FLAGS}
    elif name == "leave":
        accesses.address, accesses.data = {_RBP}, set()
    elif name in ("vzeroupper", "vzeroall"):
        accesses.writes.clear()  # done when registers are renamed
    elif name in ("syscall", "sysret", "sysretq"):
        accesses.writes = {_RCX, 11} if name == "syscall" else set()
    elif name.startswith(("xsave", "fxsave")):
        accesses.load, accesses.store = 0, max(512, accesses.load, accesses.store)
    elif name.startswith(("xrstor", "fxrstor")):
        accesses.load, accesses.store = max(512, accesses.load, accesses.store), 0
    if into_memory and accesses.store and name.startswith("v"):
        accesses.data |= _vectors(instruction)
    if x86.X86_GRP_FPU in instruction.groups and not name.startswith(("fnst", "fnc")):
        accesses.data |= {_X87}
        accesses.writes |= set() if name.startswith("fst") else {_X87}
    if STRINGS.fullmatch(name):
        accesses.data.discard(_DIRECTION)
    if is_string(instruction, name):
        _string(name, accesses)


def is_string(instruction: Any, name: str) -> bool:
    """True for string instructions. SSE has other instructions named movsd and cmpsd."""
    return STRINGS.fullmatch(name) is not None and not _vectors(instruction)


def _vectors(instruction: Any) -> set[int]:
    names = [instruction.reg_name(operand.reg) for operand in instruction.operands if operand.type == x86.X86_OP_REG]
    return {16 + int(name[3:]) for name in names if name[1:3] == "mm" and name[0] in "xyz"}


def _string(name: str, accesses: Accesses) -> None:
    """A string instruction advances its registers at once; a repeated one when it has ended."""
    advanced = accesses.address & {_RSI, _RDI}
    if name.startswith("rep"):
        accesses.writes |= advanced
    else:
        accesses.data.discard(_RCX)
        accesses.writes -= {*advanced, _RCX}
