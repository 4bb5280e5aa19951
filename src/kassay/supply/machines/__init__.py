# SPDX-License-Identifier: GPL-2.0-only
"""Machines: where a run happens.

One file each: machines/NAME.py holds MACHINE, an instance of a subclass of Machine, whose name is NAME. It names its
clock, a file of supply/clocks. A machine on QEMU is an instance of _qemu.Qemu. Where several machines have one clock,
that with the lowest `order` is taken, or the first of them that works here. A machine's own name can stand wherever a
clock's can.
"""

from collections.abc import Mapping
from functools import cache

from kassay.errors import BadInput
from kassay.model.host import Host
from kassay.model.progress import Tell
from kassay.registry import discover, names, ordered
from kassay.supply.clocks import clock_of, measuring
from kassay.supply.machines._announce import announced
from kassay.supply.machines._backend import Ended, Job, KernelFiles, Machine, Visit

__all__ = [
    "Ended", "Job", "KernelFiles", "Machine", "Visit", "clock_and_machine", "emulating", "machine_for", "machines",
    "machines_of", "this_host",
]  # fmt: skip


@cache
def machines() -> Mapping[str, Machine]:
    """Every backend by name; those of one clock in their order."""
    backends = discover("kassay.supply.machines", "MACHINE", Machine)  # type: ignore[type-abstract]
    return ordered(backends.values())


def machines_of(clock: str) -> tuple[Machine, ...]:
    """The machines of a clock, the first to be taken first. Raises BadInput for a clock that is unknown or has none."""
    candidates = tuple(machine for machine in machines().values() if machine.clock == clock_of(clock).name)
    if not candidates:
        clocks = dict.fromkeys(machine.clock for machine in machines().values())
        raise BadInput(f"clock: {clock!r} has no machine to measure with", f"known: {', '.join(sorted(clocks))}")
    return candidates


def machine_for(clock: str, name: str = "", address: str = "") -> Machine:
    """The machine of this name, or the first of the clock. address: of one that is elsewhere; "" for none. Raises
    BadInput that lists what there is."""
    candidates = machines_of(clock)
    if name and name not in (machine.name for machine in candidates):
        raise BadInput(f"machine: {name!r} is none of clock {clock}", f"known: {', '.join(m.name for m in candidates)}")
    machine = machines()[name] if name else candidates[0]
    return machine.at(address) if address else machine


def emulating(arch: str) -> tuple[str, ...]:
    """Clocks whose machines work for an architecture on any host."""
    clocks = {machine.clock for machine in machines().values() if machine.proven and arch in machine.arches}
    return tuple(name for name in measuring() if name in clocks)


def clock_and_machine(word: str) -> tuple[str, str]:
    """Clock and machine that --clock names: a clock and "", or a machine's clock and the machine. A word that is
    neither is returned as an unknown clock."""
    if word in measuring() or word not in names("kassay.supply.machines"):
        return word, ""
    return machines()[word].clock, word


def this_host(name: str, pinned: str, tell: Tell) -> Host:
    """Announcement of a worker: see _announce.announced()."""
    return announced(name, pinned, machines().values(), tell)
