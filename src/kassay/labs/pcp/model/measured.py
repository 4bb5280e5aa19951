# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp measure`: the zone path and the per-CPU page lists of real kernels, workload by workload."""

from kassay.model.records import Record, Setting

SCHEMA = "kassay-pcp-measured/1"


class ListState(Record, frozen=True, kw_only=True, array_like=True):
    """One CPU's page list of one zone at one moment, in pages. high_min, high_max: None where high is fixed (before
    6.7)."""

    zone: str
    cpu: int
    count: int
    high: int
    batch: int
    high_min: int | None = None
    high_max: int | None = None


class ListSample(Record, frozen=True, kw_only=True):
    """All lists at one moment. time_ns: guest time since the first round began. free: pages free in each zone."""

    time_ns: int
    lists: tuple[ListState, ...]
    free: dict[str, int]


class ZoneCounts(Record, frozen=True, kw_only=True):
    """Exact counts of the kernel in all rounds of a run, interrupts and other tasks included.

    instructions: guest time of the phase. allocated, freed: blocks of any order that were asked for and given back.
    refills: times the zone gave pages to a list; refilled: blocks it gave. direct: blocks taken from the zone past
    the lists. drains: times a list gave pages to the zone; drained: blocks it gave. drains_by: drains by the function
    that asked. returned: blocks given back to the zone past the lists. acquisitions: of the zone lock for all of that.
    decays: times the vmstat worker looked whether a list can shrink. pages: allocated, in base pages, over the
    whole region (/proc/vmstat). handovers: acquisitions by another CPU than the one before, over the whole region;
    None where the plugin did not count them.
    """

    instructions: int
    allocated: int
    freed: int
    refills: int
    refilled: int
    direct: int
    drains: int
    drained: int
    drains_by: dict[str, int]
    returned: int
    acquisitions: int
    decays: int
    pages: int | None
    handovers: int | None


class PcpRow(Record, frozen=True, kw_only=True):
    """One kernel under one policy at one setting of a workload.

    policy: "fixed" (a kernel that has no other), "auto", or "fixed=N" (vm.percpu_pagelist_high_fraction). operations:
    of all rounds. runs: plain runs that the counts are of; alike: whether all had the same counts. problem: why the
    counts may not be used, "" when they may. counts: None without a run.
    """

    kernel: str
    release: str
    policy: str
    workload: str
    settings: tuple[Setting, ...]
    phase: str
    operation: str
    operations: int
    rounds: int
    runs: int
    alike: bool
    problem: str
    counts: ZoneCounts | None
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
    """The whole answer. rows: by workload and setting, then by kernel, then by policy."""

    kassay_version: str
    machine: str
    cpus: int
    memory_bytes: int
    rows: tuple[PcpRow, ...]
    directory: str
    schema: str = SCHEMA
