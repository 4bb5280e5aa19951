# SPDX-License-Identifier: GPL-2.0-only
"""Machines (what is asked for, what works, what was granted), and the points of an experiment's matrix."""

from typing import NamedTuple, Protocol

from kassay.model.records import Record, Setting

STATE = ("thp", "mthp", "swap", "memcg", "dirty_ratio", "percpu_high_fraction", "sampled")
"""Settings of the guest's kernel that can be chosen of a machine, and what of its state is read between rounds."""


SAMPLED = {"zoneinfo": "/proc/zoneinfo"}
"""Files of /proc that can be read after each round, by name."""


class MachineUse(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One point of the machine matrix. clock: name of a file of supply/clocks. Of imported results arch may be
    "unknown", and cpus and memory_bytes None. cpu: name of a file of supply/cpus; "" is the architecture's default.

    nodes: of memory. The others are settings of the guest's kernel, "" for its own: thp, the policy of huge pages;
    mthp, "ORDER=POLICY" of folio sizes, separated by commas; swap, "zram:SIZE"; memcg, the limit of the workload's
    cgroup, a size; dirty_ratio, per cent; percpu_high_fraction, vm.percpu_pagelist_high_fraction. sampled: "zoneinfo"
    where it is read after each round."""

    arch: str
    clock: str
    cpus: int | None
    memory_bytes: int | None
    cpu: str = ""
    nodes: int = 1
    thp: str = ""
    mthp: str = ""
    swap: str = ""
    memcg: str = ""
    dirty_ratio: str = ""
    percpu_high_fraction: str = ""
    sampled: str = ""

    @property
    def chosen(self) -> tuple[Setting, ...]:
        """Settings that are not the default, apart from architecture, clock, CPUs and memory."""
        words = {"cpu": self.cpu, "nodes": str(self.nodes) if self.nodes > 1 else "", **self.state}
        return tuple(Setting(name=name, value=value) for name, value in words.items() if value)

    @property
    def state(self) -> dict[str, str]:
        """The settings of the guest's kernel by name."""
        return {name: getattr(self, name) for name in STATE}


class MachineIdentity(Record, frozen=True, kw_only=True):
    """The machine that was granted, as printed in every report and compared before two results are.

    program: emulator and version ("QEMU 7.2.22 (Debian ...)"), or the host kernel.
    options: everything about the machine that could move a count, in order.
    host: CPU and kernel of the host; informative where counts are exact: it cannot matter there.
    """

    arch: str
    clock: str
    accelerator: str
    program: str
    options: tuple[str, ...]
    host: str


class MachineProbe(Record, frozen=True, kw_only=True):
    """Result of doctor for one machine: usable, or the reason and the remedy. tried: False where there was nothing to
    try it with."""

    name: str
    usable: bool
    detail: str
    remedy: str = ""
    tried: bool = True


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
