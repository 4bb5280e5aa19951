# SPDX-License-Identifier: GPL-2.0-only
"""x86_64: what the disassembler does not know of an instruction, or has wrong."""

import re
from typing import Any, Protocol

from capstone import x86_const as x86

_RAX, _RCX, _RBP, _RSI, _RDI, _X87, _CARRY, _FLAGS, _DIRECTION = 0, 1, 5, 6, 7, 56, 64, 65, 66
STRINGS = re.compile(r"(?:rep\w* )?(?:movs|stos|lods|scas|cmps|ins|outs)[bwdq]")
_SCALAR = ("cvtsi2s", "cvtss2sd", "cvtsd2ss", "sqrts", "rounds", "rcpss", "rsqrtss")
_TESTS = frozenset(
    [
        "ptest",
        "vptest",
        "vtestps",
        "vtestpd",
        "comiss",
        "comisd",
        "ucomiss",
        "ucomisd",
        "vcomiss",
        "vcomisd",
        "vucomiss",
        "vucomisd",
        "pcmpistri",
        "pcmpistrm",
        "pcmpestri",
        "pcmpestrm",
        "vpcmpistri",
        "vpcmpistrm",
        "vpcmpestri",
        "vpcmpestrm",
        "kortestb",
        "kortestw",
        "kortestd",
        "kortestq",
        "ktestb",
        "ktestw",
        "ktestd",
        "ktestq",
    ]
)


class Accesses(Protocol):
    address: set[int]
    data: set[int]
    writes: set[int]
    load: int
    store: int


def repair(one: Any, name: str, found: Accesses) -> None:
    """Puts right what an instruction reads and writes. name: its mnemonic without lock."""
    into_memory = bool(one.operands) and one.operands[0].type == x86.X86_OP_MEM
    if name.startswith("cmpxchg"):
        found.writes.add(_RAX)
        found.store = found.load
    elif name.startswith(("cmov", "bsf", "bsr")) or (name.startswith(_SCALAR) and not into_memory):
        found.data |= found.writes - {_CARRY, _FLAGS}  # what was there stays, or merges
    elif into_memory and name.startswith(("mov", "vmov")) and not is_string(one, name):
        found.load, found.store = 0, found.load or found.store
    elif name in ("cqo", "cdq", "cwd"):
        found.writes.discard(_RAX)
    elif name == "cmc":
        found.data.add(_CARRY)
    elif name in _TESTS:
        found.writes |= {_CARRY, _FLAGS}
    elif name == "leave":
        found.address, found.data = {_RBP}, set()
    elif name in ("vzeroupper", "vzeroall"):
        found.writes.clear()  # done when registers are renamed
    elif name in ("syscall", "sysret", "sysretq"):
        found.writes = {_RCX, 11} if name == "syscall" else set()
    elif name.startswith(("xsave", "fxsave")):
        found.load, found.store = 0, max(512, found.load, found.store)
    elif name.startswith(("xrstor", "fxrstor")):
        found.load, found.store = max(512, found.load, found.store), 0
    if into_memory and found.store and name.startswith("v"):
        found.data |= _vectors(one)
    if x86.X86_GRP_FPU in one.groups and not name.startswith(("fnst", "fst", "fnc")):
        found.data |= {_X87}
        found.writes |= {_X87}
    if STRINGS.fullmatch(name):
        found.data.discard(_DIRECTION)
    if is_string(one, name):
        _string(name, found)


def is_string(one: Any, name: str) -> bool:
    """Whether it is one of the string instructions; SSE has others of the names movsd and cmpsd."""
    return STRINGS.fullmatch(name) is not None and not _vectors(one)


def _vectors(one: Any) -> set[int]:
    names = [one.reg_name(operand.reg) for operand in one.operands if operand.type == x86.X86_OP_REG]
    return {16 + int(name[3:]) for name in names if name[1:3] == "mm" and name[0] in "xyz"}


def _string(name: str, found: Accesses) -> None:
    """A string instruction moves its registers on; a repeated one when it has ended."""
    moved = found.address & {_RSI, _RDI}
    found.writes = found.writes | moved if name.startswith("rep") else found.writes - moved
