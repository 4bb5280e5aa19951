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
    high_max: int | None = None
    """`high_min`/`high_max`: None where high is fixed (before 6.7)."""


class ListSample(Record, frozen=True, kw_only=True):
    """All lists at one moment."""

    time_ns: int
    """Guest time since the first round began."""
    lists: tuple[ListState, ...]
    free: dict[str, int]
    """Pages free in each zone."""


class ZoneCounts(Record, frozen=True, kw_only=True):
    """Exact counts of the kernel in all rounds of a run, interrupts and other tasks included."""

    instructions: int
    """Guest time of the phase."""
    allocated: int
    freed: int
    """`allocated`/`freed`: Blocks of any order that were asked for and given back."""
    refills: int
    """Times the zone gave pages to a list."""
    refilled: int
    """Blocks it gave."""
    direct: int
    """Blocks taken from the zone past the lists."""
    drains: int
    """Times a list gave pages to the zone."""
    drained: int
    """Blocks it gave."""
    drains_by: dict[str, int]
    """Drains by the function that asked."""
    returned: int
    """Blocks given back to the zone past the lists."""
    acquisitions: int
    """Of the zone lock for all of that."""
    decays: int
    """Times the vmstat worker looked whether a list can shrink."""
    pages: int | None
    """Allocated, in base pages, over the whole region (/proc/vmstat)."""
    handovers: int | None
    """Acquisitions by another CPU than the one before, over the whole region; None where the plugin did not count
    them."""


class PcpRow(Record, frozen=True, kw_only=True):
    """One kernel under one policy at one setting of a workload."""

    kernel: str
    release: str
    policy: str
    """ "fixed" (a kernel that has no other), "auto", or "fixed=N" (vm.percpu_pagelist_high_fraction)."""
    workload: str
    settings: tuple[Setting, ...]
    phase: str
    operation: str
    operations: int
    """Of all rounds."""
    rounds: int
    runs: int
    """Plain runs that the counts are of."""
    alike: bool
    """True if all had the same counts."""
    problem: str
    """Why the counts may not be used, "" when they may."""
    counts: ZoneCounts | None
    """None without a run."""
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
    """By workload and setting, then by kernel, then by policy."""
    directory: str
    schema: str = SCHEMA
