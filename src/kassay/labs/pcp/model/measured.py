# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp measure`: the zone path and the per-CPU page lists of real kernels, workload by workload."""

from kassay.model.records import Record, Setting

SCHEMA = "kassay-pcp-measured/1"


class ListState(Record, frozen=True, kw_only=True, array_like=True):
    """One CPU's page list of one zone at one moment, in pages."""

    zone: str
    cpu: int
    count: int
    high: int
    batch: int
    high_min: int | None = None
    """Smallest high that the kernel may choose; None if high is fixed (before 6.7)."""
    high_max: int | None = None
    """Largest high that the kernel may choose; None if high is fixed (before 6.7)."""


class ListSample(Record, frozen=True, kw_only=True):
    """All lists at one moment."""

    time_ns: int
    """Guest time since the first round began."""
    lists: tuple[ListState, ...]
    free: dict[str, int]
    """Free pages of each zone."""


class ZoneCounts(Record, frozen=True, kw_only=True):
    """Exact counts of the kernel in all rounds of a run, interrupts and other tasks included."""

    instructions: int
    """Guest time of the phase, in instructions."""
    allocated: int
    """Blocks of any order that were allocated."""
    freed: int
    """Blocks of any order that were freed."""
    refills: int
    """Number of times the zone gave pages to a list."""
    refilled: int
    """Blocks that the zone gave to lists."""
    direct: int
    """Blocks taken from the zone past the lists."""
    drains: int
    """Number of times a list gave pages back to the zone."""
    drained: int
    """Blocks that lists gave back to the zone."""
    drains_by: dict[str, int]
    """Drains by the function that asked for them."""
    returned: int
    """Blocks given back to the zone past the lists."""
    acquisitions: int
    """Acquisitions of the zone lock for all refills, drains and blocks that pass the lists."""
    decays: int
    """Number of times the vmstat worker checked if a list can shrink."""
    pages: int | None
    """Pages allocated over the whole region (/proc/vmstat), in base pages."""
    handovers: int | None
    """Acquisitions by another CPU than the one before, over the whole region; None if the plugin did not count them."""


class PcpRow(Record, frozen=True, kw_only=True):
    """One kernel under one policy at one setting of a workload."""

    kernel: str
    release: str
    policy: str
    """Policy of the lists: "fixed" (a kernel that has no other), "auto", or "fixed=N"
    (vm.percpu_pagelist_high_fraction)."""
    workload: str
    settings: tuple[Setting, ...]
    phase: str
    operation: str
    operations: int
    """Operations of all rounds."""
    rounds: int
    runs: int
    """Number of plain runs behind the counts."""
    alike: bool
    """True if all runs had the same counts."""
    problem: str
    """Reason why the counts may not be used; "" if they may."""
    counts: ZoneCounts | None
    """Counts of the zone; None without a run."""
    samples: tuple[ListSample, ...]

    @property
    def idle_pages(self) -> float | None:
        """Pages in all lists, the mean over the samples; None without any."""
        if not self.samples:
            return None
        return sum(state.count for sample in self.samples for state in sample.lists) / len(self.samples)

    @property
    def highest(self) -> int | None:
        """The largest high of any list at any moment."""
        return max((state.high for sample in self.samples for state in sample.lists), default=None)


class PcpMeasured(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    machine: str
    cpus: int
    memory_bytes: int
    rows: tuple[PcpRow, ...]
    """Rows, sorted by workload and setting, then by kernel, then by policy."""
    directory: str
    schema: str = SCHEMA
