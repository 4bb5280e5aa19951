# SPDX-License-Identifier: GPL-2.0-only
"""The probes of doctor: compiler, machines, profile, tools of kernel builds, the archive."""

from rich.console import Console
from rich.table import Table

from kassay.effects import process
from kassay.effects.distribution import by_sudo, install
from kassay.effects.files import can_write_cache
from kassay.errors import KassayError
from kassay.model.machine import MachineProbe
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of
from kassay.supply.archive.apt import root_for, unreachable
from kassay.supply.archive.keys import check_verifier
from kassay.supply.archive.mirrors import OWN_KEYS, host_mirrors
from kassay.supply.building.compilers import check_tools, find_compiler, linker_of, missing_tools, present_compilers
from kassay.supply.clocks import listed, profiling
from kassay.supply.guest.compile import build
from kassay.supply.machines import Machine, emulating, machine_for, machines

_COMPILER = "compiler"


def probes(arch: str, tell: Tell) -> list[MachineProbe]:
    """The results of all probes, in the order in which they are shown."""
    results = [_compiler(arch, tell), *(_machine(m, arch, tell) for m in machines().values()), _profile(arch, tell)]
    return [*results, _building(arch, tell), _compilers(arch), _archive(arch, tell)]


def missing_packages(arch: str, results: list[MachineProbe]) -> tuple[str, ...]:
    """Packages, by Debian's names, that this host lacks of what measuring and building kernels for `arch` need."""
    facts = arch_of(arch)
    compiles = next(probe.usable for probe in results if probe.name == _COMPILER)
    need = [] if process.find(facts.qemu.program) else [facts.qemu.package]
    need += [] if compiles or not can_write_cache() else facts.build.guest_packages.split()
    need += [] if process.find("lz4") else ["lz4"]
    return tuple(dict.fromkeys((*need, *missing_tools(arch))))


def show(results: list[MachineProbe], missing: tuple[str, ...]) -> None:
    """Prints a table, and one command that installs what is missing."""
    table = Table("", "what", "found", box=None, pad_edge=False)
    for probe in results:
        mark = "[green]usable[/green]" if probe.usable else "[red]not usable[/red]"
        table.add_row(mark, probe.name, probe.detail + (f"\n→ {probe.remedy}" if probe.remedy else ""))
    console = Console()
    console.print(table)
    if missing:
        console.print(f"\nEverything that is missing: {by_sudo(install(*missing))}", soft_wrap=True, highlight=False)


def _machine(machine: Machine, arch: str, tell: Tell) -> MachineProbe:
    if arch in machine.arches:
        return machine.probe(arch, tell)
    remedy = f"use --clock {listed(emulating(arch))}"
    return MachineProbe(name=machine.name, usable=False, detail=f"not for {arch}", remedy=remedy)


def _compiler(arch: str, tell: Tell) -> MachineProbe:
    tell(Progress(stage="probe", subject="compiler", text="building the guest's init"))
    try:
        build("init", arch)
    except KassayError as error:
        return MachineProbe(name=_COMPILER, usable=False, detail=error.what, remedy=error.remedy)
    return MachineProbe(name=_COMPILER, usable=True, detail="built the guest's init, static")


def _profile(arch: str, tell: Tell) -> MachineProbe:
    tell(Progress(stage="probe", subject="profile", text="building the plugin and loading it into QEMU"))
    try:
        machine_for(profiling()[0]).check_profile(arch)
    except KassayError as error:
        return MachineProbe(name="profile", usable=False, detail=error.what, remedy=error.remedy)
    return MachineProbe(name="profile", usable=True, detail="built the plugin for this QEMU, which loads it")


def _building(arch: str, tell: Tell) -> MachineProbe:
    tell(Progress(stage="probe", subject="build", text="looking for compiler and tools of kernel builds"))
    try:
        check_tools(arch)
        compiler = find_compiler("gcc", arch, tell)
        detail = f"{compiler.banner}; {linker_of(compiler)}"
    except KassayError as error:
        return MachineProbe(name="build", usable=False, detail=error.what, remedy=error.remedy)
    cached = process.find("ccache") is not None
    remedy = "" if cached else f"{install('ccache')}: builds after the first are then faster"
    return MachineProbe(name="build", usable=True, detail=detail + ("; ccache" if cached else ""), remedy=remedy)


def _archive(arch: str, tell: Tell) -> MachineProbe:
    """How kernels of the archive are fetched. The mirror is asked for one small file."""
    try:
        mirrors = host_mirrors()
        root = root_for(mirrors, arch)
        if not root.helper:
            check_verifier()
        tell(Progress(stage="probe", subject="archive", text=f"asking {mirrors.main.uri}"))
        reason = unreachable(root, mirrors, tell) if can_write_cache() else None
    except KassayError as error:
        return MachineProbe(name="archive", usable=False, detail=error.what, remedy=error.remedy)
    main = mirrors.main
    if reason is not None:
        remedy = "check the network and the mirror; exact versions in the cache, and those of a kit, need neither"
        return MachineProbe(name="archive", usable=False, detail=f"{main.uri}: {reason}", remedy=remedy)
    keys = "the archive's own, by fingerprint" if main.signed_by == OWN_KEYS else main.signed_by
    detail = "by apt" if root.helper else f"without apt; keys: {keys}"
    return MachineProbe(name="archive", usable=True, detail=f"kernels of {main.uri}, {detail}")


def _compilers(arch: str) -> MachineProbe:
    """The compilers that cc= takes without a download."""
    names = present_compilers(arch)
    remedy = "" if names else "name one of the archive, such as cc=gcc-12, or install gcc"
    return MachineProbe(name="compilers", usable=bool(names), detail=", ".join(names) or "none", remedy=remedy)
