# SPDX-License-Identifier: GPL-2.0-only
"""x86_64: the kind of each instruction, and how it uses the stack."""

from typing import Any

from capstone import x86_const as x86

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
    NOP,
    PLAIN,
    PREFETCH,
    REPEAT,
    RETURN,
    SERIALIZE,
    SYSCALL,
    SYSRETURN,
)

SYSTEM = {
    "syscall": (SYSCALL, "syscall"), "sysenter": (SYSCALL, "syscall"), "int": (SYSCALL, "interrupt"),
    "sysret": (SYSRETURN, "sysret"), "sysretq": (SYSRETURN, "sysret"), "sysexit": (SYSRETURN, "sysret"),
    "iretq": (SYSRETURN, "iret"), "iretd": (SYSRETURN, "iret"), "iret": (SYSRETURN, "iret"),
    "cpuid": (SERIALIZE, "cpuid"), "wrmsr": (SERIALIZE, "wrmsr"), "rdmsr": (SERIALIZE, "rdmsr"),
    "swapgs": (PLAIN, "swapgs"), "stac": (PLAIN, "stac"), "clac": (PLAIN, "clac"),
    "cli": (PLAIN, "cli"), "sti": (PLAIN, "sti"), "pushfq": (PLAIN, "pushf"), "popfq": (PLAIN, "popf"),
    "rdtsc": (PLAIN, "rdtsc"), "rdtscp": (PLAIN, "rdtscp"), "rdpmc": (PLAIN, "rdpmc"), "pause": (PLAIN, "pause"),
    "rdpid": (PLAIN, "rdpid"), "rdrand": (PLAIN, "rdrand"), "rdseed": (PLAIN, "rdrand"),
    "hlt": (SERIALIZE, "hlt"), "mwait": (SERIALIZE, "hlt"), "invd": (SERIALIZE, "wbinvd"),
    "wbinvd": (SERIALIZE, "wbinvd"), "wbnoinvd": (SERIALIZE, "wbinvd"),
    "lfence": (FENCE_LOAD, ""), "mfence": (FENCE_FULL, ""), "sfence": (FENCE_STORE, ""),
    "serialize": (SERIALIZE, "serialize"),
    "invlpg": (FLUSH_PAGE, "invlpg"), "invpcid": (FLUSH_ALL, "invpcid"), "invlpgb": (FLUSH_ALL, "invlpgb"),
    "tlbsync": (SERIALIZE, "tlbsync"),
    "clflush": (PLAIN, "clflush"), "clflushopt": (PLAIN, "clflushopt"), "clwb": (PLAIN, "clflushopt"),
    "lgdt": (SERIALIZE, "descriptor"), "lidt": (SERIALIZE, "descriptor"), "ltr": (SERIALIZE, "descriptor"),
    "lldt": (SERIALIZE, "descriptor"), "sgdt": (PLAIN, "descriptor"), "sidt": (PLAIN, "descriptor"),
    "verw": (PLAIN, "verw"), "xgetbv": (PLAIN, "xgetbv"), "xsetbv": (SERIALIZE, "xsetbv"),
    "fxsave": (PLAIN, "xsave"), "fxsave64": (PLAIN, "xsave"), "fxrstor": (PLAIN, "xrstor"),
    "fxrstor64": (PLAIN, "xrstor"), "xsave": (PLAIN, "xsave"), "xsave64": (PLAIN, "xsave"),
    "xsaveopt": (PLAIN, "xsave"), "xsaveopt64": (PLAIN, "xsave"), "xsavec": (PLAIN, "xsave"),
    "xsavec64": (PLAIN, "xsave"), "xsaves": (PLAIN, "xsave"), "xsaves64": (PLAIN, "xsave"),
    "xrstor": (PLAIN, "xrstor"), "xrstor64": (PLAIN, "xrstor"), "xrstors": (PLAIN, "xrstor"),
    "xrstors64": (PLAIN, "xrstor"),
    "rdfsbase": (PLAIN, "rdfsbase"), "rdgsbase": (PLAIN, "rdfsbase"), "wrfsbase": (PLAIN, "wrfsbase"),
    "wrgsbase": (PLAIN, "wrfsbase"), "clts": (SERIALIZE, "mov_cr"), "lmsw": (SERIALIZE, "mov_cr"),
    "rdpkru": (PLAIN, "rdpkru"), "wrpkru": (SERIALIZE, "wrpkru"),
    "in": (SERIALIZE, "in_out"), "out": (SERIALIZE, "in_out"),
    "vmcall": (SERIALIZE, "vmcall"), "vmmcall": (SERIALIZE, "vmcall"),
}  # fmt: skip
"""Mnemonic -> kind, name in the table of system instructions."""
SYSTEM_NAMES = frozenset(name for _, name in SYSTEM.values() if name) | {
    "mov_cr", "mov_cr3", "read_cr", "mov_dr", "mov_segment"
}  # fmt: skip
NO_ACCESS = frozenset(["invlpg", "clflush", "clflushopt", "clwb", "verw", "endbr64"])
"""An operand in memory that is not accessed as data, or is no operand."""
FREE_STACK = frozenset(["push", "pop", "call", "ret", "leave", "pushfq", "popfq", "pushf", "popf"])
"""The front end advances the stack pointer of these."""
_NOPS = frozenset(["nop", "endbr64", "endbr32", "fnop", "ud0", "ud1", "ud2", "int3"])
_DATA_SEGMENTS = frozenset(("ds", "es", "ss", "cs", "fs", "gs"))


def kind_of(name: str, instruction: Any) -> tuple[str, str]:
    """(kind, name in the table of system instructions or "")."""
    if name in SYSTEM:
        return SYSTEM[name]
    if name in ("mov", "push", "pop") and (control := _control(instruction, name)):
        return control
    if name in _NOPS:
        return NOP, ""
    if name.startswith("prefetch") or name == "cldemote":
        return PREFETCH, ""
    if name.startswith(("rep ", "repe ", "repne ")):
        return REPEAT, ""
    if name in ("ret", "retq"):
        return RETURN, ""
    if name in ("retf", "retfq", "ljmp", "lcall"):
        return SYSRETURN, "iret"
    if name in ("call", "jmp"):
        direct = instruction.operands[0].type == x86.X86_OP_IMM
        return (CALL if direct else CALL_INDIRECT, "") if name == "call" else (JUMP if direct else JUMP_INDIRECT, "")
    if name.startswith(("j", "loop")):
        return BRANCH, ""
    return PLAIN, ""


def _control(instruction: Any, name: str) -> tuple[str, str] | None:
    """A move to or from a control, debug or segment register."""
    for position, operand in enumerate(instruction.operands):
        if operand.type != x86.X86_OP_REG:
            continue
        register, written = instruction.reg_name(operand.reg), position == 0 and name != "push"
        if register.startswith("cr"):
            if not written:
                return PLAIN, "read_cr"
            return (FLUSH_ALL, "mov_cr3") if register == "cr3" else (SERIALIZE, "mov_cr")
        if register.startswith("dr") and register[2:].isdigit():
            return SERIALIZE, "mov_dr"
        if register in _DATA_SEGMENTS and written:
            return PLAIN, "mov_segment"
    return None


def stack_bytes(name: str, instruction: Any) -> tuple[int, int]:
    """Bytes (loaded, stored) on the stack, besides the operands."""
    operands = instruction.operands
    size = 2 if operands and name in ("push", "pop") and operands[0].size == 2 else 8
    if name in ("push", "pushfq", "call"):
        return 0, size
    if name in ("pop", "popfq", "ret", "leave"):
        return size, 0
    return (40, 0) if name in ("iretq", "iretd", "iret") else (0, 0)
