# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp replay`: a recorded guest, and the results of the simulator's policies for its page events."""

from kassay.model.records import Record

SCHEMA = "kassay-pcp-replay/1"


class Totals(Record, frozen=True, kw_only=True):
    """Pages that passed between the lists and the main zone."""

    refills: int
    """Number of refills."""
    refilled_pages: int
    drained_pages: int
    decay_pages: int
    """Part of the drained pages that the vmstat worker drained."""
    high_order_drained: int
    """Drained pages in blocks of order 1 to 3."""


class Errors(Record, frozen=True, kw_only=True):
    """Distance between a policy and the guest."""

    refilled: float | None
    """Relative difference in refilled pages at the end; None if the guest has none."""
    drained: float | None
    """Relative difference in drained pages at the end; None if the guest has none."""
    moved: float | None
    """Relative difference in refilled and drained pages together."""
    path: float | None
    """Mean distance of the pages refilled and drained up to each sample, relative to all that the guest moved."""
    high: float | None
    """Mean distance of each CPU's high at each sample, relative to the guest's mean."""
    count: float | None
    """Mean distance of each CPU's count at each sample, relative to the guest's mean."""


class ListSample(Record, frozen=True, kw_only=True, array_like=True):
    """The lists of one CPU in the main zone at one time; pages."""

    time_ns: int
    cpu: int
    count: int
    high: int


class HighRange(Record, frozen=True, kw_only=True):
    """Range of high over all CPUs' lists in the main zone and all samples; pages."""

    least: int
    most: int


class Replayed(Record, frozen=True, kw_only=True):
    """Result of replaying a trace under one policy."""

    policy: str
    kernels: str
    totals: Totals
    errors: Errors
    samples: tuple[ListSample, ...]
    """Lists at the times of the guest's samples."""
    high: HighRange | None = None
    """The range of these samples; None without any."""


class Guest(Record, frozen=True, kw_only=True):
    """The guest that was recorded, and its own numbers."""

    kernel: str
    release: str
    workload: str
    arch: str
    cpus: int
    memory_bytes: int
    zone: str
    span_ns: int
    allocations: int
    frees: int
    allocated_pages: int
    totals: Totals
    samples: tuple[ListSample, ...]
    unexplained_pages: int
    """Largest difference on any CPU between its count at the end and the count that follows from its first count and
    the recorded events."""
    bulk_seen: bool
    reclaims: int = 0
    """Number of times that kswapd was woken."""
    high: HighRange | None = None
    """The range of its samples; None without any."""


class ReplayedTrace(Record, frozen=True, kw_only=True):
    """One trace."""

    path: str
    """Path of the trace's file."""
    sha256: str
    """Hash of the trace's file."""
    own: str
    """Policy of the trace's kernel."""
    guest: Guest
    policies: tuple[Replayed, ...]


class PcpReplay(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    by_list: bool
    """True if each list began with what the trace shows of it (docs/how-to/pcp.md)."""
    traces: tuple[ReplayedTrace, ...]
    schema: str = SCHEMA
