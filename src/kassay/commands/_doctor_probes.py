# SPDX-License-Identifier: GPL-2.0-only
"""The probes of doctor: compiler, machines, profile, tools of kernel builds."""

from rich.console import Console
from rich.table import Table

from kassay.effects import process
from kassay.errors import KassayError
from kassay.model.machine import MachineProbe
from kassay.model.progress import Progress, Tell
from kassay.supply.building.compilers import check_tools, find_compiler, linker_of, present_compilers
from kassay.supply.clocks import listed, profiling
from kassay.supply.guest.compile import build
from kassay.supply.machines import Machine, emulating, machine_for, machines


def probes(arch: str, tell: Tell) -> list[MachineProbe]:
    """The results of all probes, in the order in which they are shown."""
    results = [_compiler(arch, tell), *(_machine(m, arch, tell) for m in machines().values()), _profile(arch, tell)]
    return [*results, _building(arch, tell), _compilers(arch)]


def show(results: list[MachineProbe]) -> None:
    """Prints a table."""
    table = Table("", "what", "found", box=None, pad_edge=False)
    for probe in results:
        mark = "[green]usable[/green]" if probe.usable else "[red]not usable[/red]"
        table.add_row(mark, probe.name, probe.detail + (f"\n→ {probe.remedy}" if probe.remedy else ""))
    Console().print(table)


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
        return MachineProbe(name="compiler", usable=False, detail=error.what, remedy=error.remedy)
    return MachineProbe(name="compiler", usable=True, detail="built the guest's init, static")


def _profile(arch: str, tell: Tell) -> MachineProbe:
    tell(Progress(stage="probe", subject="profile", text="building the plugin and loading it into QEMU"))
    can_profile = machine_for(profiling()[0]).can_profile
    assert can_profile is not None
    try:
        can_profile(arch)
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
    remedy = "" if cached else "apt-get install ccache, and builds after the first are faster"
    return MachineProbe(name="build", usable=True, detail=detail + ("; ccache" if cached else ""), remedy=remedy)


def _compilers(arch: str) -> MachineProbe:
    """The compilers that cc= takes without a download."""
    names = present_compilers(arch)
    remedy = "" if names else "name one of the archive, such as cc=gcc-12, or install gcc"
    return MachineProbe(name="compilers", usable=bool(names), detail=", ".join(names) or "none", remedy=remedy)
