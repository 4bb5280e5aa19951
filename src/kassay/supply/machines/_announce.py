# SPDX-License-Identifier: GPL-2.0-only
"""Announcement of a worker: its host, and the machines that work there, tried as doctor does."""

import platform
from collections.abc import Iterable, Sequence

import kassay
from kassay.effects.memory import memory_bytes
from kassay.effects.workers import cpus
from kassay.errors import HostLacks
from kassay.model.host import Host
from kassay.model.progress import Tell
from kassay.supply.arches import arches
from kassay.supply.machines._backend import Machine
from kassay.supply.machines._host import cpu_model, host_arch
from kassay.supply.machines._qemu import version


def announced(name: str, pinned: str, machines: Iterable[Machine], tell: Tell) -> Host:
    """The host under this name. pinned: the CPUs to which this process is pinned, "" where it is not.

    Machines whose runs no worker makes are left out.
    """
    return Host(
        name=name,
        arch=host_arch(),
        cpu=cpu_model(),
        cpus=cpus(),
        pinned=pinned,
        memory_bytes=memory_bytes(),
        kernel=platform.release(),
        machines=_usable([machine for machine in machines if not machine.only_local], tell),
        program=_emulator(),
        kassay=kassay.__version__,
    )


def _usable(machines: Sequence[Machine], tell: Tell) -> tuple[str, ...]:
    """ "NAME ARCH" of each. A machine that works wherever its program does is not booted to try it."""
    usable = []
    for machine in machines:
        for arch in machine.arches:
            try:
                machine.identify(arch, 1, "short")
            except HostLacks:
                continue
            if machine.proven or machine.probe(arch, tell).usable:
                usable.append(f"{machine.name} {arch}")
    return tuple(usable)


def _emulator() -> str:
    """The version of the first emulator that is installed; "" for none."""
    for arch in arches():
        try:
            return f"QEMU {version(arch)}"
        except HostLacks:
            continue
    return ""
