# SPDX-License-Identifier: GPL-2.0-only
"""arm64. Registers: 0-30 general ones, 31 the stack pointer, 32-63 vectors, 64 the flags, 65-80 predicates."""

import re
from functools import cache
from typing import Any

from capstone import CS_AC_READ, CS_AC_WRITE, CS_ARCH_ARM64, CS_MODE_ARM, Cs
from capstone import arm64_const as arm

from kassay.labs.predict.decode import (
    BRANCH,
    CALL,
    CALL_INDIRECT,
    FENCE_FULL,
    FENCE_LOAD,
    FENCE_STORE,
    FLUSH_ALL,
    FLUSH_PAGE,
    JUMP,
    JUMP_INDIRECT,
    MOVE,
    NOP,
    PLAIN,
    PREFETCH,
    RETURN,
    SERIALIZE,
    SYSCALL,
    SYSRETURN,
    UNREADABLE,
    Facts,
    FactsDecoder,
)

_ATOMIC = re.compile(r"(?:(?:ld|st)(?:add|clr|eor|set|[su]max|[su]min)|swp|casp?)(?:a|l|al)?[bh]?")
"""One instruction that reads and writes memory (FEAT_LSE)."""
_EXCLUSIVE = ("stxr", "stlxr", "stxp", "stlxp")
"""The end of a load-exclusive and store-exclusive pair: what makes it atomic is charged to it."""
_ENDINGS = {
    "bl": CALL, "b": JUMP, "cbz": BRANCH, "cbnz": BRANCH, "tbz": BRANCH, "tbnz": BRANCH,
    **dict.fromkeys(("blr", "blraa", "blrab", "blraaz", "blrabz"), CALL_INDIRECT),
    **dict.fromkeys(("br", "braa", "brab", "braaz", "brabz"), JUMP_INDIRECT),
    **dict.fromkeys(("ret", "retaa", "retab"), RETURN),
}  # fmt: skip
_FIXED = {
    "svc": (SYSCALL, "svc"), "eret": (SYSRETURN, "eret"), "eretaa": (SYSRETURN, "eret"), "eretab": (SYSRETURN, "eret"),
    "hvc": (SERIALIZE, "hvc"), "smc": (SERIALIZE, "hvc"), "brk": (SERIALIZE, "brk"), "hlt": (SERIALIZE, "brk"),
    "isb": (FENCE_LOAD, ""), "sb": (FENCE_LOAD, ""), "dsb": (SERIALIZE, "dsb"), "wfe": (SERIALIZE, "wait"),
    "wfi": (SERIALIZE, "wait"), "ic": (PLAIN, "cache_maintenance"), "at": (PLAIN, "address_translate"),
    "yield": (PLAIN, "hint"), "esb": (PLAIN, "hint"), "clrex": (PLAIN, "hint"),
}  # fmt: skip
_SYSTEM_NAMES = frozenset(name for _, name in _FIXED.values() if name) | {
    "dmb", "tlbi", "msr", "mrs", "msr_ttbr", "msr_daif", "mrs_counter", "zero_line"
}  # fmt: skip
_NOPS = frozenset(["nop", "hint", "bti", "csdb", "sev", "sevl", "udf", "dgh", "psb", "tsb"])
_CHEAP = ("sp_el0", "tpidr", "tpidrro", "currentel", "nzcv", "fpcr")
"""System registers whose accesses are no system instructions for a timing file."""
_PAGES = re.compile(r"r?va")
_FLAGS, _LINK = 64, 30
_NUMBERS = {f"{kind}{n}": n for kind in "xw" for n in range(31)} | {
    f"{kind}{n}": 32 + n for kind in "bhsdqvz" for n in range(32)
} | {f"p{n}": 65 + n for n in range(16)} | {"fp": 29, "lr": 30, "sp": 31, "wsp": 31}  # fmt: skip
_COMPARING = frozenset(["cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp", "fcmpe", "fccmp", "fccmpe"])
_SIGNING = re.compile(r"(?:pac|aut)(?:[id]z?[ab]|i[ab](?:sp|z|1716))|xpac(?:[id]|lri)")
"""Pointer authentication: a register is signed, or its signature is checked or removed. pacga is none of these."""
_BY_REGISTER = re.compile(r"\}(?:\[\w+\])?, \[\w+\], x\d+$")
"""Loads and stores of vectors that move their base on by a register, which is no part of the address."""
_KEEPING = frozenset(["bfi", "bfxil", "bfm", "bfc", "movk"])
_KINDS = ((r"\bv\d+\.(\w+)(?:\[\d+\])?", r"v.\1"), (r"\b(?:x\d+|fp|lr|sp|xzr)\b", "x"), (r"\b(?:w\d+|wsp|wzr)\b", "w"),
          (r"\b([bhsdqzp])\d+\b", r"\1"), (r"#-?[\w.]+", "i"), (r"(lsl|lsr|asr|ror|msl|[su]xt[bhwx]) i", r"\1"),
          (r"\s", ""))  # fmt: skip
_MEMORY = re.compile(r"\[x(?:,i)?\]")
_INDEXED = re.compile(r"\[x,[xw][^\]]*\]")
_LIST = re.compile(r"\{([^},]+)([^}]*)\}")
_CONDITION = re.compile(r",(?:eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al|nv|cs|cc)$")


@cache
def _facts(code: bytes) -> Facts:
    instruction = next(_engine().disasm(code, 0x1000, 1), None)
    if instruction is None or len(code) != 4:
        return Facts(UNREADABLE)
    name = str(instruction.mnemonic)
    kind, system = _kind_of(name, str(instruction.op_str))
    address, data, writes = _registers(instruction, name)
    load, store = _access_bytes(name, _widths(instruction), kind)
    if kind == PLAIN and name == "mov" and len(data) == 1 and writes and not (data | writes) & {*range(32, 64)}:
        kind = MOVE
    if kind in (NOP, PREFETCH):
        data, writes = set(), set()
    return Facts(
        form=_form(instruction, name),
        kind=kind,
        system=system,
        address_reads=tuple(sorted(address)),
        data_reads=tuple(sorted(data)),
        writes=tuple(sorted(writes)),
        load_bytes=load,
        store_bytes=store,
        locked=_atomic(name),
        exchanges=name.startswith("swp"),
    )


def _atomic(name: str) -> bool:
    return bool(_ATOMIC.fullmatch(name)) or name.startswith(_EXCLUSIVE)


def _registers(instruction: Any, name: str) -> tuple[set[int], set[int], set[int]]:
    """Registers of addresses, registers read as data, registers written."""
    address: set[int] = set()
    data: set[int] = set()
    writes: set[int] = set()
    listed = [operand for operand in instruction.operands if operand.type == arm.ARM64_OP_REG]
    accesses = _accesses(instruction, name, listed)
    for operand, access in zip(listed, accesses, strict=True):
        number = _NUMBERS.get(instruction.reg_name(operand.reg))
        if number is None:
            continue
        if access & CS_AC_READ:
            data.add(number)
        if access & CS_AC_WRITE:
            writes.add(number)
    for operand in instruction.operands:
        if operand.type == arm.ARM64_OP_MEM:
            parts = (instruction.reg_name(part) for part in (operand.mem.base, operand.mem.index) if part)
            address |= {_NUMBERS[part] for part in parts if part in _NUMBERS}
    _implicit(instruction, name, data, writes)
    return address, data, writes


def _accesses(instruction: Any, name: str, listed: list[Any]) -> list[int]:
    """Access of each register operand, also if the disassembler does not know it or has it wrong."""
    if name in _COMPARING or name.startswith(("cbz", "cbnz", "tbz", "tbnz", "msr", "tlbi", "dc", "ic", "at", "sys")):
        return [CS_AC_READ] * len(listed)
    if _ATOMIC.fullmatch(name):
        if name.startswith("cas"):
            half = len(listed) // 2
            return [CS_AC_READ | CS_AC_WRITE] * half + [CS_AC_READ] * (len(listed) - half)
        return [CS_AC_READ, CS_AC_WRITE][: len(listed)]
    if _SIGNING.fullmatch(name) and listed:
        return [CS_AC_READ | CS_AC_WRITE] + [CS_AC_READ] * (len(listed) - 1)
    if name in ("ldraa", "ldrab"):
        return [CS_AC_WRITE]
    if name == "pacga":
        return [CS_AC_WRITE, CS_AC_READ, CS_AC_READ]
    if _BY_REGISTER.search(str(instruction.op_str)):
        return [CS_AC_WRITE if name.startswith("ld") else CS_AC_READ] * (len(listed) - 1) + [0]
    if name.startswith("ld") and not any("[" in word for word in str(instruction.op_str).split("}")[:1] if "]" in word):
        return [CS_AC_WRITE] * len(listed)
    if name.startswith("st") and not name.startswith(_EXCLUSIVE):
        return [CS_AC_READ] * len(listed)
    accesses = [operand.access for operand in listed]
    if (
        accesses
        and accesses[0] == CS_AC_READ | CS_AC_WRITE
        and name not in _KEEPING
        and not _is_vector(instruction, listed[0])
    ):
        accesses[0] = CS_AC_WRITE
    return accesses


def _is_vector(instruction: Any, operand: Any) -> bool:
    return _NUMBERS.get(instruction.reg_name(operand.reg), 0) >= 32


def _implicit(instruction: Any, name: str, data: set[int], writes: set[int]) -> None:
    for registers, into in ((instruction.regs_read, data), (instruction.regs_write, writes)):
        for register in registers:
            if instruction.reg_name(register) == "nzcv" and not name.startswith(("cbz", "cbnz", "msr")):
                into.add(_FLAGS)
    if name.startswith("bl"):
        writes.add(_LINK)
    if name.startswith("ret") and not data:
        data.add(_LINK)
    if _SIGNING.fullmatch(name) and not instruction.operands:
        signed, by = (17, {16}) if name.endswith("1716") else (_LINK, {31} if name.endswith("sp") else set())
        data |= {signed} | by
        writes.add(signed)
    if instruction.update_flags and name in _COMPARING:
        writes.add(_FLAGS)


def _widths(instruction: Any) -> tuple[int, ...]:
    """Bytes of each register operand, in order."""
    text = str(instruction.op_str)
    vectors = [
        int(count) * {"b": 1, "h": 2, "s": 4, "d": 8}[kind] for count, kind in re.findall(r"\.(\d+)([bhsd])", text)
    ]
    if vectors:
        return tuple(vectors)
    lanes = [{"b": 1, "h": 2, "s": 4, "d": 8}[kind] for kind in re.findall(r"v\d+\.([bhsd])\b", text)]
    if lanes:
        return tuple(lanes)
    named = re.findall(r"\b([xwbhsdq])(?:\d+|zr)\b|\b(fp|lr)\b", text.partition("[")[0])
    return tuple(
        8 if alias else {"x": 8, "w": 4, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}[kind] for kind, alias in named
    )


def _form(instruction: Any, name: str) -> str:
    text = str(instruction.op_str)
    if name in ("mrs", "msr"):
        return f"{name} x,sys" if name == "mrs" else "msr sys,x"
    if name in ("tlbi", "dc", "ic", "at", "sys", "sysl", "prfm", "prfum", "hint", "bti"):
        return name if name != "dc" or "zva" not in text else "dc zva,x"
    for pattern, into in _KINDS:
        text = re.sub(pattern, into, text)
    text = _INDEXED.sub("[x,x]", _MEMORY.sub("[x]", text))
    text = _LIST.sub(lambda match: f"{{{match[1]}*{1 + match[2].count(',')}}}", text)
    text = _CONDITION.sub(",c", text)
    return f"{'b.c' if name.startswith('b.') else name} {text}".strip()


def _name(number: int) -> str:
    if number < 31:
        return f"x{number}"
    if number < 64:
        return "sp" if number == 31 else f"v{number - 32}"
    return "nzcv" if number == 64 else f"p{number - 65}"


@cache
def _engine() -> Any:
    engine = Cs(CS_ARCH_ARM64, CS_MODE_ARM)
    engine.detail = True
    return engine


def _kind_of(name: str, operands: str) -> tuple[str, str]:
    """(kind, name in the table of system instructions or "")."""
    if name in _ENDINGS:
        return _ENDINGS[name], ""
    if name.startswith("b."):
        return BRANCH, ""
    if name in _FIXED:
        return _FIXED[name]
    if name in _NOPS:
        return NOP, ""
    if name.startswith("prf"):
        return PREFETCH, ""
    if name == "dmb":
        if operands.endswith("ld"):
            return PLAIN, "dmb"
        return (FENCE_STORE if operands.endswith("st") else FENCE_FULL), ""
    if name in ("tlbi", "sys") and (name == "tlbi" or ", c8," in operands):
        return (FLUSH_PAGE if name == "sys" or _PAGES.match(operands) else FLUSH_ALL), "tlbi"
    if name in ("dc", "sys"):
        return PLAIN, "zero_line" if "zva" in operands else "cache_maintenance"
    return PLAIN, _moved(name, operands)


def _moved(name: str, operands: str) -> str:
    """The name of a move from or to a register of the system."""
    if name == "msr":
        if operands.startswith("daif"):
            return "msr_daif"
        return "msr_ttbr" if operands.startswith("ttbr") else "" if operands.startswith(_CHEAP) else "msr"
    if name == "mrs":
        register = operands.partition(", ")[2]
        return "mrs_counter" if register.startswith("cnt") else "" if register.startswith(_CHEAP) else "mrs"
    return ""


def _access_bytes(name: str, widths: tuple[int, ...], kind: str) -> tuple[int, int]:
    """(loaded, stored). widths: of the register operands before the one in memory."""
    if kind != PLAIN or not widths:
        return 0, 0
    if _ATOMIC.fullmatch(name):
        size = _sized(name, widths[0]) * (2 if name.startswith("casp") else 1)
        return size, size
    if name.startswith("ld"):
        return _total(name, widths), 0
    if name.startswith(_EXCLUSIVE):
        return 0, _total(name, widths[1:])
    return (0, _total(name, widths)) if re.match(r"st(?!adc)", name) else (0, 0)


def _total(name: str, widths: tuple[int, ...]) -> int:
    if name == "ldpsw":
        return 8
    paired = re.match(r"(?:ld|st)(?:n?p|l?xp|axp|\d)", name)
    return sum(widths) if paired else _sized(name, widths[0] if widths else 8)


def _sized(name: str, width: int) -> int:
    if name.endswith("b"):
        return 1
    if name.endswith("h") and not name.endswith(("nph",)):
        return 2
    return 4 if name.endswith("sw") else width


def _fuses(first: str, second: str) -> bool:
    """A comparison and the branch on its flags, as Arm's guides have it for cores that fuse."""
    return second == "b.c i" and first.partition(" ")[0] in ("cmp", "cmn", "tst")


DECODER = FactsDecoder(facts=_facts, registers=_name, fuses=_fuses, atomic=_atomic, system=_SYSTEM_NAMES)
