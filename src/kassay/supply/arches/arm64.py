# SPDX-License-Identifier: GPL-2.0-only
"""arm64."""

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
    PAGE_FAULT,
    RETURN,
    TASK_START,
    Arch,
    Build,
    Cpuinfo,
    MachineCode,
    Qemu,
    target_of,
)

_ATOMIC = re.compile(
    r"(?:(?:ld|st)(?:add|clr|eor|set|[su]max|[su]min)(?:a|l|al)?[bhp]?|(?:swp|cas)p?(?:a|l|al)?[bh]?|stl?x[rp][bh]?)"
)
_ENDINGS = {
    "bl": CALL, "b": JUMP, "cbz": BRANCH, "cbnz": BRANCH, "tbz": BRANCH, "tbnz": BRANCH,
    **dict.fromkeys(("blr", "blraa", "blrab", "blraaz", "blrabz"), INDIRECT_CALL),
    **dict.fromkeys(("br", "braa", "brab", "braaz", "brabz"), INDIRECT_JUMP),
    **dict.fromkeys(("ret", "retaa", "retab"), RETURN),
}  # fmt: skip


def _kind(mnemonic: str, operands: str) -> str:
    if mnemonic == "tlbi" or (mnemonic == "sys" and ", c8," in operands):
        return "tlb"
    if mnemonic == "msr":
        return "tlb" if operands.startswith(("ttbr0_el1", "ttbr1_el1")) else ""
    return "atomic" if _ATOMIC.fullmatch(mnemonic) else ""


def _ending(mnemonic: str, operands: str) -> tuple[str, int | None]:
    end = BRANCH if mnemonic.startswith("b.") else _ENDINGS.get(mnemonic, OTHER)
    if end not in (CALL, JUMP, BRANCH):
        return end, None
    return end, target_of(operands.rpartition(" ")[2].removeprefix("#"))


_TASK_SWITCH = "cpu_switch_to"


def _special(name: str, start: int, end: int) -> Iterator[str]:
    """Everything enters at the vectors (Arm DDI 0487, D1.4): 16 entries of 0x80 bytes, every fourth for synchronous
    exceptions."""
    if name == _TASK_SWITCH:
        yield f"switch {start:x} {end:x}\n"
    elif name == "copy_thread":
        yield f"birth {start:x} {end:x}\n"
    elif name == "vectors":
        for entry in range(16):
            at = start + 0x80 * entry
            yield f"{'interrupt' if entry % 4 else 'fault'} {at:x} {at + 1:x}\n"


_FAULTS = {"el0_da": PAGE_FAULT, "el0_ia": PAGE_FAULT, "do_mem_abort": PAGE_FAULT}
_EXCEPTION = re.compile(
    r"el[01]_(fpsimd_acc|fpsimd_exc|sve_acc|sme_acc|sys|pc|sp|undef|bti|mops|gcs|dbg|brk64|fpac|inv)"
)
_CLOCKS = (0xD53BE040, 0xD53BE0C0)
"""mrs xN, cntvct_el0 and cntvctss_el0, N in the lowest five bits (Arm ARM, D17.11)."""


def _entry(function: str) -> tuple[str, str] | None:
    if function in _FAULTS:
        return FAULT, _FAULTS[function]
    match = _EXCEPTION.fullmatch(function)
    if match:
        return FAULT, match[1].replace("_", " ")
    if function in ("el0t_64_irq", "el1h_64_irq", "el0t_64_fiq", "el1h_64_fiq"):
        return INTERRUPT, "device interrupt"
    return (TASK_START, "") if function == "ret_from_fork" else None


ARCH = Arch(
    name="arm64",
    order=20,
    uname="aarch64",
    debian="arm64",
    elf=183,
    page_bytes=4096,
    flat=(56, b"ARM\x64"),
    qemu=Qemu(
        target="aarch64",
        package="qemu-system-arm",
        machine=("-M", "virt-7.2"),
        # cntfrq: the generic timer at 1 GHz. Where instructions are counted it then goes on by one an instruction, as
        # the TSC does.
        cpu="cortex-a57,cntfrq=1000000000",
        console="ttyAMA0",
        # The machine has one port; the second is a card.
        stream=("-device", "pci-serial,chardev=stream"),
        stream_device="/dev/ttyS0",
        uarts=1,
        symbols=("SERIAL_AMBA_PL011", "SERIAL_AMBA_PL011_CONSOLE", "PCI", "SERIAL_8250", "SERIAL_8250_PCI"),
        most_cpus=8,
    ),
    build=Build(
        cross="aarch64-linux-gnu-",
        triple="aarch64-linux-gnu",
        library_flags=0x0A03,
        guest_packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        make_arch="arm64",
        target="Image",
        image="arch/arm64/boot/Image",
        cc_package="-aarch64-linux-gnu",
        tools=(("aarch64-linux-gnu-ld", "binutils-aarch64-linux-gnu"),),
    ),
    code=MachineCode(
        capstone=("CS_ARCH_ARM64", "CS_MODE_ARM"),
        kind=_kind,
        ending=_ending,
        special=_special,
        entry=_entry,
        reads_clock=lambda code: int.from_bytes(code, "little") & ~0x1F in _CLOCKS,
        task_switch=_TASK_SWITCH,
        syscall_prefix="__arm64_",
    ),
    # It has numbers, which Arm's manuals list.
    cpuinfo=Cpuinfo(
        name=("CPU implementer", "CPU part", "CPU variant", "CPU revision"),
        features="Features",
        notable=("atomics", "paca", "bti", "mte"),
    ),
)
