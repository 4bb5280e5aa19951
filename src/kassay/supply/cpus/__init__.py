# SPDX-License-Identifier: GPL-2.0-only
"""CPUs by name: the options for the emulator, and what a kernel on the real CPU would see.

One file each: cpus/NAME.py holds CPU, a Cpu whose name is NAME. Kernels patch their own code by vendor, model and
features of the CPU they boot on, so a named CPU says which code is measured. docs/reference/cpus.md lists them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kassay.errors import BadInput
from kassay.registry import discover, ordered


@dataclass(frozen=True)
class NeedlessMitigation:
    """A mitigation that kernels use on the emulated CPU and not on the real one."""

    vulnerability: str
    """Name of a file in /sys/devices/system/cpu/vulnerabilities."""
    mitigation: str
    """The word of that file for it."""
    parameter: str = ""
    """Kernel parameter that brings the guest nearer to the real CPU; "" if none does."""


# Sources: the kernel's Documentation/admin-guide/hw-vuln, and arch/x86/kernel/cpu/{common,bugs}.c. A CPU says by
# ARCH_CAPABILITIES or by its features that it needs none of these; QEMU cannot emulate that.
PAGE_TABLES = NeedlessMitigation("meltdown", "PTI", "nopti")
RETPOLINES = NeedlessMitigation("spectre_v2", "Retpolines", "spectre_v2=off")
RETPOLINES_KEPT = NeedlessMitigation("spectre_v2", "Retpolines")  # the parameter would remove the thunks as well
THUNKS = NeedlessMitigation("indirect_target_selection", "thunks", "spectre_v2=off")
SAFE_RETURNS = NeedlessMitigation("spec_rstack_overflow", "Safe RET", "spec_rstack_overflow=off")


@dataclass(frozen=True, kw_only=True)
class Cpu:
    """One CPU."""

    name: str
    order: int
    summary: str
    """Description in a few words."""
    models: Mapping[str, tuple[str, ...]]
    """Values of QEMU's option -cpu by architecture, best first. The first whose model the QEMU at hand has is taken."""
    identity: tuple[tuple[str, str], ...] = ()
    """Lines of /proc/cpuinfo that name the real CPU, title and value; empty for a model that is no real CPU."""
    features: tuple[str, ...] = ()
    """Features of the real CPU, in the words of /proc/cpuinfo. Only those are listed by which a kernel chooses code of
    memory management, entry and exit, string operations and interrupts."""
    hidden: tuple[str, ...] = ()
    """Further features of that kind, which /proc/cpuinfo does not list. Source: QEMU's model of the CPU."""
    needless: tuple[NeedlessMitigation, ...] = ()


@cache
def cpus() -> Mapping[str, Cpu]:
    """Every CPU by name, in their order. Raises BadInput when a file's name is not that of its CPU."""
    by_file = discover("kassay.supply.cpus", "CPU", Cpu)
    for file, cpu in by_file.items():
        if cpu.name != file:
            raise BadInput(f"cpus/{file}.py: its CPU is named {cpu.name!r}", "give both the same name")
    return ordered(by_file.values())


def cpus_for(arch: str) -> tuple[str, ...]:
    """Names of the CPUs that an architecture has."""
    return tuple(name for name, cpu in cpus().items() if arch in cpu.models)


def spelt(name: str) -> str:
    """A CPU's name as names are compared: capitals, hyphens and underscores do not count."""
    return name.lower().replace("-", "").replace("_", "")


def cpu_called(name: str) -> str:
    """The name of the CPU that a user calls so, as in Skylake-SP for skylake_sp; the text itself if there is none."""
    return next((known for known in cpus() if spelt(known) == spelt(name)), name)


def cpu_for(name: str, arch: str) -> Cpu:
    """The CPU with this name. Raises BadInput that lists those of the architecture."""
    cpu = cpus().get(name)
    if cpu is None or arch not in cpu.models:
        raise BadInput(f"cpu: no {name!r} for {arch}", f"known: {', '.join(cpus_for(arch))}")
    return cpu
