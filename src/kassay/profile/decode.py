# SPDX-License-Identifier: GPL-2.0-only
"""Code of a block -> which of its instructions are of a counted kind, and where its last one leads."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from capstone import CS_ARCH_ARM64, CS_ARCH_X86, CS_MODE_64, CS_MODE_ARM, Cs

CALL, JUMP, BRANCH = "call", "jump", "branch"
INDIRECT_CALL, INDIRECT_JUMP, RETURN, OTHER = "indirect-call", "indirect-jump", "return", "other"
_WORD = (1 << 64) - 1

_X86_STRING = re.compile(r"rep\w* (?:movs|stos|lods|scas|cmps|ins|outs)[bwdq]")
_X86_TLB = frozenset(("invlpg", "invpcid", "invlpga", "invlpgb", "tlbsync", "0f01fe", "0f01ff"))
"""The last two are invlpgb and tlbsync to a disassembler that does not know them."""
_X86_LOOP = frozenset(("loop", "loope", "loopne"))

_ARM_ATOMIC = re.compile(
    r"(?:(?:ld|st)(?:add|clr|eor|set|[su]max|[su]min)(?:a|l|al)?[bhp]?|(?:swp|cas)p?(?:a|l|al)?[bh]?|stl?x[rp][bh]?)"
)
_ARM_ENDS = {
    "bl": CALL, "b": JUMP, "cbz": BRANCH, "cbnz": BRANCH, "tbz": BRANCH, "tbnz": BRANCH,
    **dict.fromkeys(("blr", "blraa", "blrab", "blraaz", "blrabz"), INDIRECT_CALL),
    **dict.fromkeys(("br", "braa", "brab", "braaz", "brabz"), INDIRECT_JUMP),
    **dict.fromkeys(("ret", "retaa", "retab"), RETURN),
}  # fmt: skip


class Code(NamedTuple):
    """atomics, tlb, strings: numbers of the instructions that are atomic read-modify-writes, TLB or page-table register
    maintenance, repeated string instructions. end: how the last one leaves the block (a branch is conditional).
    target: address of a direct call, jump or branch."""

    atomics: tuple[int, ...]
    tlb: tuple[int, ...]
    strings: tuple[int, ...]
    end: str
    target: int | None


def decode(target: str, address: int, lengths: bytes, code: bytes) -> Code:
    """target: "x86_64" or "aarch64". Instructions that are not understood are plain."""
    found = _decode(target, lengths, code)
    return found if found.target is None else found._replace(target=address + found.target & _WORD)


@lru_cache(maxsize=1 << 17)
def _decode(target: str, lengths: bytes, code: bytes) -> Code:
    """As if at address 0, so that the same code is decoded once."""
    kinds: dict[str, list[int]] = {"atomic": [], "tlb": [], "string": []}
    kind_of, end_of = (_x86_kind, _x86_end) if target == "x86_64" else (_arm_kind, _arm_end)
    mnemonic, operands = "", ""
    for number, (mnemonic, operands) in enumerate(_instructions(target, lengths, code)):
        kind = kind_of(mnemonic, operands)
        if kind:
            kinds[kind].append(number)
    end, leads_to = end_of(mnemonic, operands)
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
    return Cs(CS_ARCH_X86, CS_MODE_64) if target == "x86_64" else Cs(CS_ARCH_ARM64, CS_MODE_ARM)


def _x86_kind(mnemonic: str, operands: str) -> str:
    if mnemonic == "mov":
        return "tlb" if operands.startswith("cr3") else ""
    if mnemonic == "xchg":
        return "atomic" if "[" in operands else ""
    if mnemonic in _X86_TLB:
        return "tlb"
    if mnemonic.startswith(("lock ", "xacquire lock ", "xrelease lock ")):
        return "atomic"
    if mnemonic in ("xrelease xchg", "xacquire xchg"):
        return "atomic" if "[" in operands else ""
    return "string" if mnemonic.startswith("rep") and _X86_STRING.fullmatch(mnemonic) else ""


def _x86_end(mnemonic: str, operands: str) -> tuple[str, int | None]:
    word = mnemonic.rpartition(" ")[2]
    if word == "ret":
        return RETURN, None
    if word != "call" and not word.startswith("j") and word not in _X86_LOOP:
        return OTHER, None
    leads_to = _number(operands)
    if word == "call":
        return (CALL, leads_to) if leads_to is not None else (INDIRECT_CALL, None)
    if word == "jmp":
        return (JUMP, leads_to) if leads_to is not None else (INDIRECT_JUMP, None)
    return BRANCH, leads_to


def _arm_kind(mnemonic: str, operands: str) -> str:
    if mnemonic == "tlbi" or (mnemonic == "sys" and ", c8," in operands):
        return "tlb"
    if mnemonic == "msr":
        return "tlb" if operands.startswith(("ttbr0_el1", "ttbr1_el1")) else ""
    return "atomic" if _ARM_ATOMIC.fullmatch(mnemonic) else ""


def _arm_end(mnemonic: str, operands: str) -> tuple[str, int | None]:
    end = BRANCH if mnemonic.startswith("b.") else _ARM_ENDS.get(mnemonic, OTHER)
    if end not in (CALL, JUMP, BRANCH):
        return end, None
    return end, _number(operands.rpartition(" ")[2].removeprefix("#"))


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None
