# SPDX-License-Identifier: GPL-2.0-only
"""x86_64."""

import re
from collections.abc import Iterator

from kassay.supply.arches import (
    BRANCH,
    CALL,
    FAULT,
    INDIRECT_CALL,
    INDIRECT_JUMP,
    INTERRUPT,
    JUMP,
    OTHER,
    RETURN,
    TASK_START,
    Arch,
    Build,
    Cpuinfo,
    MachineCode,
    Qemu,
    target_of,
)

_STRING = re.compile(r"rep\w* (?:movs|stos|lods|scas|cmps|ins|outs)[bwdq]")
_TLB = frozenset(("invlpg", "invpcid", "invlpga", "invlpgb", "tlbsync", "0f01fe", "0f01ff"))
"""The last two are invlpgb and tlbsync to a disassembler that does not know them."""
_LOOP = frozenset(("loop", "loope", "loopne"))
_KIND_BYTES = re.compile(rb"[\xf0\xf2\xf3\x86\x87]|\x0f[\x01\x22\x38]")
"""The prefixes lock and rep, and the opcodes of xchg, of group 7 with invlpg, of mov to CR3 and of invpcid (Intel SDM,
volume 2, appendix A)."""
_LOCKED = ("lock ", "xacquire lock ", "xrelease lock ")
_RETURN_THUNK = r"__x86_return_\w+|(?:retbleed|srso|srso_alias|its|call_depth)_return_thunk"


def _kind(mnemonic: str, operands: str) -> str:
    if mnemonic == "mov":
        return "tlb" if operands.startswith("cr3") else ""
    if mnemonic in ("xchg", "xrelease xchg", "xacquire xchg"):
        return "atomic" if "[" in operands else ""
    if mnemonic in _TLB:
        return "tlb"
    if mnemonic.startswith(_LOCKED):
        return "atomic"
    return "string" if mnemonic.startswith("rep") and _STRING.fullmatch(mnemonic) else ""


def _ending(mnemonic: str, operands: str) -> tuple[str, int | None]:
    word = mnemonic.rpartition(" ")[2]
    if word == "ret":
        return RETURN, None
    if word != "call" and not word.startswith("j") and word not in _LOOP:
        return OTHER, None
    target = target_of(operands)
    if word == "call":
        return (CALL, target) if target is not None else (INDIRECT_CALL, None)
    if word == "jmp":
        return (JUMP, target) if target is not None else (INDIRECT_JUMP, None)
    return BRANCH, target


_TASK_SWITCH = "__switch_to_asm"


def _special(name: str, start: int, end: int) -> Iterator[str]:
    """Exceptions enter at asm_exc_*, interrupts at asm_sysvec_* and in the tables of entry stubs
    (arch/x86/include/asm/idtentry.h); an NMI is an interrupt."""
    if name == "asm_exc_nmi" or name.startswith("asm_sysvec_"):
        yield f"interrupt {start:x} {start + 1:x}\n"
    elif name.startswith("asm_exc_"):
        yield f"fault {start:x} {start + 1:x}\n"
    elif name in ("irq_entries_start", "spurious_entries_start"):
        yield f"interrupt {start:x} {end:x}\n"
    elif name.startswith("__x86_indirect_thunk_"):
        yield f"thunk {start:x} {end:x}\n"
    elif name == _TASK_SWITCH:
        yield f"switch {start:x} {end:x}\n"
    elif name == "copy_thread":
        yield f"birth {start:x} {end:x}\n"


_CLOCKS = (b"\x0f\x31", b"\x0f\x01\xf9")
"""rdtsc and rdtscp (Intel SDM, volume 2)."""


def _entry(function: str) -> tuple[str, str] | None:
    if function.startswith("asm_sysvec_"):
        return INTERRUPT, function.removeprefix("asm_sysvec_").replace("_", " ")
    if function in ("irq_entries_start", "asm_common_interrupt"):
        return INTERRUPT, "device interrupt"
    if function == "asm_exc_nmi":
        return INTERRUPT, "nmi"
    if function.startswith("asm_exc_"):
        return FAULT, function.removeprefix("asm_exc_").replace("_", " ")
    return (TASK_START, "") if function in ("ret_from_fork_asm", "ret_from_fork") else None


ARCH = Arch(
    name="x86_64",
    order=10,
    uname="x86_64",
    debian="amd64",
    elf=62,
    page_bytes=4096,
    qemu=Qemu(
        target="x86_64",
        package="qemu-system-x86",
        machine=("-M", "pc-q35-7.2", "-bios", "qboot.rom"),
        # The smallest model that all kernels boot on. RDRAND draws from QEMU's seeded generator; without it the kernel
        # spends 126 M instructions of each boot on gathering entropy.
        cpu="qemu64,+rdrand",
        console="ttyS0",
        stream=("-serial", "chardev:stream"),
        stream_device="/dev/ttyS1",
        direct=True,
        kvm=True,
        snapshots=True,
        # On one CPU the kernel overwrites all its lock prefixes: no atomic would be counted, or take its time.
        many=("noreplace-smp",),
        # The kernel waits for ticks as long as so many instructions take, and panics on a host too busy to send them.
        busy_host=("no_timer_check",),
        # Here the same wait, and each reading of a clock in it leaves compiled code.
        shortening=("no_timer_check",),
        # /dev/hpet and the ACPI timer as a clock source: both are first compared with another clock, for milliseconds.
        initcalls=("hpet_late_init", "init_acpi_pm_clocksource"),
        # Calibrating the local APIC timer busy-waits 100 ms of guest time, 2.6 s of host time where instructions are
        # counted; with one CPU the HPET's tick serves as well.
        one_cpu=("nolapic_timer",),
        symbols=("SERIAL_8250", "SERIAL_8250_CONSOLE"),
    ),
    build=Build(
        cross="x86_64-linux-gnu-",
        triple="x86_64-linux-gnu",
        library_flags=0x0303,
        guest_packages="gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
        make_arch="x86_64",
        target="vmlinux",
        image="vmlinux",
        cc_package="-x86-64-linux-gnu",
        tools=(("x86_64-linux-gnu-ld", "binutils-x86-64-linux-gnu"),),
        headers=(("libelf.h", "libelf-dev"),),
        config=("CONFIG_PVH=y",),
    ),
    code=MachineCode(
        capstone=("CS_ARCH_X86", "CS_MODE_64"),
        kind=_kind,
        kind_bytes=_KIND_BYTES,
        ending=_ending,
        special=_special,
        entry=_entry,
        reads_clock=lambda code: code in _CLOCKS,
        task_switch=_TASK_SWITCH,
        syscall_prefix="__x64_",
        thunks=rf"__x86_indirect_\w+|srso(?:_alias)?_safe_ret|{_RETURN_THUNK}",
        return_thunks=_RETURN_THUNK,
    ),
    cpuinfo=Cpuinfo(name=("model name",), features="flags", notable=("erms", "fsrm", "smap", "pcid", "invpcid")),
)
