# SPDX-License-Identifier: GPL-2.0-only
"""loong64: what kassay asks of QEMU and of compilers for LoongArch."""

from kassay.supply.arches import OTHER, Arch, Build, Cpuinfo, MachineCode, Qemu

ARCH = Arch(
    name="loong64",
    order=50,
    uname="loongarch64",
    debian="loong64",
    elf=258,
    page_bytes=16384,
    qemu=Qemu(
        target="none64",
        package="qemu-system-none",
        machine=("-M", "virt-9.1"),
        cpu="la464",
        console="ttyS0",
        stream=("-device", "pci-serial,chardev=stream"),
        stream_device="/dev/ttyS1",
        most_cpus=4,
    ),
    build=Build(
        cross="loongarch64-none-",
        triple="loongarch64-linux-gnu",
        guest_packages="gcc-none",
        make_arch="loongarch",
        target="vmlinux",
        image="vmlinux",
    ),
    code=MachineCode(
        capstone=("CS_ARCH_ALL", "CS_MODE_LITTLE_ENDIAN"),
        kind=lambda mnemonic, operands: "",
        ending=lambda mnemonic, operands: (OTHER, None),
        special=lambda name, start, end: iter(()),
        syscall_prefix="__loong_",
        task_switch="__switch_to",
        reads_clock=lambda code: False,
    ),
    cpuinfo=Cpuinfo(name=("Model Name",)),
)
