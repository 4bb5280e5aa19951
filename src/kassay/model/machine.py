# SPDX-License-Identifier: GPL-2.0-only
"""Machines (what is asked for, what works, what was granted), and the points of an experiment's matrix."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from kassay.model.records import Record, Setting

STATE = ("thp", "mthp", "swap", "memcg", "dirty_ratio", "percpu_high_fraction", "sched", "sampled")
"""Settings of the guest's kernel that can be chosen of a machine, and what of its state is read between rounds."""
STATE_OPTIONS = tuple(f"--{name.replace('_', '-')}" for name in STATE)
"""Options of the command line for STATE, in its order."""
SCHED = ("fifo",)
"""Scheduling policies of sched(7) that can be chosen. Without a choice tasks have the usual one, SCHED_OTHER."""
SAMPLED = {"zoneinfo": "/proc/zoneinfo"}
"""Files of /proc that can be read after each round, by name."""


class MachineUse(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One point of the machine matrix.

    Fields from thp to sched are settings of the guest's kernel; "" is its own setting.
    """

    arch: str
    """Architecture; may be "unknown" for imported results."""
    clock: str
    """Name of a file of supply/clocks."""
    cpus: int | None
    """Number of CPUs; may be None for imported results."""
    memory_bytes: int | None
    """Size of memory; may be None for imported results."""
    cpu: str = ""
    """Name of a file of supply/cpus; "" is the architecture's default."""
    nodes: int = 1
    """Nodes of memory."""
    thp: str = ""
    """Policy of huge pages."""
    mthp: str = ""
    """ "ORDER=POLICY" of folio sizes, separated by commas."""
    swap: str = ""
    """ "zram:SIZE"."""
    memcg: str = ""
    """Limit of the workload's cgroup, a size."""
    dirty_ratio: str = ""
    """Per cent."""
    percpu_high_fraction: str = ""
    """vm.percpu_pagelist_high_fraction."""
    sched: str = ""
    """Scheduling policy of the workload's tasks: a word of SCHED."""
    sampled: str = ""
    """ "zoneinfo" if it is read after each round."""

    @property
    def chosen(self) -> tuple[Setting, ...]:
        """Settings that are not the default, apart from architecture, clock, CPUs and memory."""
        values = {"cpu": self.cpu, "nodes": str(self.nodes) if self.nodes > 1 else "", **self.state}
        return tuple(Setting(name=name, value=value) for name, value in values.items() if value)

    def with_chosen(self, settings: Iterable[Setting]) -> "MachineUse":
        """The machine with the settings that `chosen` names; others are ignored."""
        values = {setting.name: setting.value for setting in settings}
        state = {name: values.get(name, "") for name in STATE}
        return replace(self, cpu=values.get("cpu", ""), nodes=int(values.get("nodes", 1)), **state)

    @property
    def state(self) -> dict[str, str]:
        """The settings of the guest's kernel by name."""
        return {name: getattr(self, name) for name in STATE}


class MachineIdentity(Record, frozen=True, kw_only=True):
    """The machine that was granted, as printed in every report and compared before two results are."""

    arch: str
    clock: str
    accelerator: str
    program: str
    """Emulator and version ("QEMU 7.2.22 (Debian ...)"), or the host kernel."""
    options: tuple[str, ...]
    """All properties of the machine that could move a count, in order."""
    host: str
    """CPU and kernel of the host. With exact counts it is only information, as it cannot matter then."""
    host_id: str | UnsetType = UNSET
    """Hash that tells hosts with equal descriptions apart. It is not written where counts are exact, in a container, or
    for a remote machine, whose address is part of `host`; earlier versions did not write it."""
    container: str | UnsetType = UNSET
    """Identity of kassay's container image, if the command ran in one. Only information: `program` names the QEMU."""


class MachineProbe(Record, frozen=True, kw_only=True):
    """Result of doctor for one machine: usable, or the reason and the remedy."""

    name: str
    usable: bool
    detail: str
    remedy: str = ""
    tried: bool = True
    """False if there was no kernel to try it with."""


class Point(NamedTuple):
    """A workload with all its settings, on a machine."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse


class _HasPoint(Protocol):
    @property
    def workload(self) -> str: ...
    @property
    def settings(self) -> tuple[Setting, ...]: ...
    @property
    def machine(self) -> MachineUse: ...


class AtPoint(Record, frozen=True, kw_only=True):
    """A record that is about one point, whose parts are fields of its own, as they are stored."""

    @property
    def point(self: _HasPoint) -> Point:
        """Position in the experiment's matrix."""
        return Point(self.workload, self.settings, self.machine)
