# SPDX-License-Identifier: GPL-2.0-only
"""Architectures: everything that differs between the CPUs whose kernels are measured.

One file each: arches/NAME.py holds ARCH, an Arch whose name is NAME. What an architecture needs in other roots has the
same name there: guest/arch/NAME.c and plugin/arch-NAME.c; to build kernels with kassay's small configuration
building/configs/lab-NAME.config, and for `kassay codegen` codegen/decoders/NAME.py.
"""

import platform
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from types import MappingProxyType

from kassay.errors import BadInput, HostLacks
from kassay.registry import discover, ordered

CALL, JUMP, BRANCH = "call", "jump", "branch"
INDIRECT_CALL, INDIRECT_JUMP, RETURN, OTHER = "indirect-call", "indirect-jump", "return", "other"
"""Ways in which the last instruction of a block leaves it. A branch is conditional."""
SYSTEM_CALL, FAULT, INTERRUPT, TASK_START = "system call", "fault", "interrupt", "task start"
"""Entries into the kernel: what makes it run."""
PAGE_FAULT = "page fault"
"""The name of that fault, on all of them."""


@dataclass(frozen=True, kw_only=True)
class Qemu:
    """Facts about QEMU's emulation of an architecture."""

    target: str
    """Name of the target; QEMU's program is qemu-system-TARGET."""
    package: str
    """Debian package of QEMU's program."""
    machine: tuple[str, ...]
    """Options for a versioned type of machine. An unversioned type changes its devices with every release."""
    cpu: str
    """Model of the CPU, as QEMU's option -cpu takes it."""
    console: str
    """Name that the guest has for its first serial port."""
    stream: tuple[str, ...]
    """Options that give the guest a second serial port for results, on the character device "stream"."""
    stream_device: str
    """Name that the guest has for the second serial port."""
    most_cpus: int = 255
    """Largest number of CPUs of the machine type."""
    direct: bool = False
    """True if an uncompressed vmlinux is entered by its PVH note; otherwise the image is started as it is."""
    kvm: bool = False
    """True if kassay supports the architecture as a virtual machine."""
    snapshots: bool = False
    """True if a machine can stop itself to be saved (ib700, a watchdog)."""
    many: tuple[str, ...] = ()
    """Kernel parameters with which one CPU executes the code that several do."""
    busy_host: tuple[str, ...] = ()
    """Kernel parameters for emulated time, without which a busy host would end the boot."""
    shortening: tuple[str, ...] = ()
    """Kernel parameters that shorten a boot."""
    initcalls: tuple[str, ...] = ()
    """Functions of a boot that are left out to shorten it."""
    one_cpu: tuple[str, ...] = ()
    """Kernel parameters that shorten a counted boot of one CPU."""
    symbols: tuple[str, ...] = ()
    """Options of a kernel's configuration, without "CONFIG_", that the console and the port of results need built
    in."""
    uarts: int = 2
    """8250 ports that a run uses."""

    @property
    def program(self) -> str:
        return f"qemu-system-{self.target}"


@dataclass(frozen=True, kw_only=True)
class Build:
    """Facts about building programs and kernels for an architecture.

    Each file has the tools of a host of another architecture. arches() puts the host's own tools in their place on a
    host of the same one.
    """

    cross: str
    """Prefix of the tools; "" for the host's own."""
    triple: str
    """GNU triple, as packages and libraries name it."""
    guest_packages: str
    """Packages with the compiler and the static C library of guest programs, separated by spaces."""
    make_arch: str
    """ARCH= of the kernel's make."""
    target: str
    """Target that make is given."""
    image: str
    """File that make builds."""
    cc_package: str = ""
    """End of the name of a compiler's package."""
    tools: tuple[tuple[str, str], ...] = ()
    """Programs that a kernel build needs besides those of every architecture: (program, package)."""
    headers: tuple[tuple[str, str], ...] = ()
    """Headers that a kernel build needs besides those of every architecture: (header, package)."""
    config: tuple[str, ...] = ()
    """Lines that a distribution's configuration lacks."""
    library_flags: int = 0
    """Flags of its libraries in the loader's cache (/etc/ld.so.cache); 0 if no such cache is made."""

    @property
    def sources(self) -> str:
        """Directory of the architecture in the kernel's sources: ARCH=x86_64 is arch/x86."""
        return f"arch/{self.make_arch.removesuffix('_64')}/"

    def may_use(self, path: str) -> bool:
        """True if a file of the kernel's sources is not below the directory of another architecture."""
        return path.startswith(self.sources) or not path.startswith("arch/") or path.count("/") == 1


Special = Callable[[str, int, int], Iterator[str]]


@dataclass(frozen=True, kw_only=True)
class MachineCode:
    """Properties of the machine code that a profile needs."""

    capstone: tuple[str, str]
    """Names of the disassembler's architecture and mode."""
    kind: Callable[[str, str], str]
    """Function of mnemonic and operands. It gives "atomic", "tlb", "string", or "" for an instruction of no counted
    kind."""
    kind_bytes: re.Pattern[bytes] = re.compile(b"")
    """Every instruction of a counted kind matches it. Blocks that it does not match are not decoded for kinds."""
    ending: Callable[[str, str], tuple[str, int | None]]
    """Function of mnemonic and operands of the last instruction of a block. It gives how that instruction leaves the
    block, and the address that it leads to; None if the operands do not have the address."""
    special: Special
    """Function of a symbol's name, start and end. It gives lines of plugin/points.h for a symbol that the plugin must
    know."""
    syscall_prefix: str
    """Prefix of the name of a system call's function."""
    thunks: str = ""
    """Regular expression of the functions that an indirect jump goes through."""
    return_thunks: str = ""
    """Regular expression of the functions that a return goes through; "" for none."""
    entry: Callable[[str], tuple[str, str] | None] = lambda _: None
    """Function of a kernel function's name. It gives kind and name of the fault, interrupt or new task that begins with
    this function; None for any other function."""
    reads_clock: Callable[[bytes], bool]
    """Function of the bytes of an instruction. It is true if the instruction, in user mode, reads the CPU's clock."""
    task_switch: str
    """Symbol at which the kernel switches tasks."""


@dataclass(frozen=True, kw_only=True)
class Cpuinfo:
    """Lines of /proc/cpuinfo by which kernels of an architecture describe a CPU."""

    name: tuple[str, ...]
    """Lines that name the CPU. If there are several, each is shown with its title."""
    features: str = ""
    """Line that lists the CPU's features; "" for none."""
    notable: tuple[str, ...] = ()
    """Features by which a kernel chooses or patches the code of memory management, entry and exit, in the kernel's
    names."""


@dataclass(frozen=True, kw_only=True)
class Arch:
    """One architecture."""

    name: str
    order: int
    """Place in lists and help texts."""
    uname: str
    """Name that a kernel has for the machine it runs on (uname -m)."""
    debian: str
    """Name of the architecture in the archive."""
    elf: int
    """Number of the machine in an ELF header."""
    page_bytes: int
    """Size of a base page."""
    qemu: Qemu
    build: Build
    code: MachineCode
    cpuinfo: Cpuinfo
    flat: tuple[int, bytes] | None = None
    """Offset and bytes that mark a kernel image that is no ELF file."""


@cache
def arches() -> Mapping[str, Arch]:
    """Every architecture by name, in their order, with the tools that this host builds with.

    Raises BadInput when a file's name is not that of its architecture, and when two cannot be told apart by what
    kernels, images or QEMU call them.
    """
    by_file = discover("kassay.supply.arches", "ARCH", Arch)
    for file, arch in by_file.items():
        if arch.name != file:
            raise BadInput(f"arches/{file}.py: its ARCH is named {arch.name!r}", "give both the same name")
    found = ordered(by_file.values())
    for first, other in combinations(found.values(), 2):
        for attribute, a, b in (
            ("uname", first.uname, other.uname),
            ("elf", first.elf, other.elf),
            ("qemu.target", first.qemu.target, other.qemu.target),
        ):
            if a == b:
                raise BadInput(f"arches/{other.name}.py: {attribute} {a!r} is that of {first.name} already",
                               "a machine, an image and an emulator belong to one architecture")  # fmt: skip
    return MappingProxyType({name: _on_this_host(arch) for name, arch in found.items()})


def _on_this_host(arch: Arch) -> Arch:
    if arch.uname != platform.machine():
        return arch
    return replace(arch, build=replace(arch.build, cross="", guest_packages="gcc libc6-dev", cc_package="", tools=()))


def arch_of(name: str) -> Arch:
    """The architecture with this name. Raises BadInput that lists the known ones."""
    arch = arches().get(name)
    if arch is None:
        raise BadInput(f"unknown arch {name!r}", f"known: {', '.join(arches())}")
    return arch


def of_machine(uname: str) -> Arch | None:
    """The architecture of a machine whose kernel calls it so; None when kassay does not know it."""
    return next((arch for arch in arches().values() if arch.uname == uname), None)


def this_host() -> Arch:
    """The architecture of this host. Raises HostLacks when kassay does not know it."""
    arch = of_machine(platform.machine())
    if arch is None:
        raise HostLacks(f"this host is a {platform.machine()}", f"use one of: {', '.join(arches())}")
    return arch


def of_target(target: str) -> Arch | None:
    """The architecture that QEMU calls so; None when kassay does not know it."""
    return next((arch for arch in arches().values() if arch.qemu.target == target), None)


def target_of(operand: str) -> int | None:
    """The address that a direct jump's operand is; None for a register or a place in memory."""
    try:
        return int(operand, 0)
    except ValueError:
        return None
