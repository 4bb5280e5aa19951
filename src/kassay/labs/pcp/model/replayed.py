# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp replay`: a recorded guest, and the results of the simulator's policies for its page events."""

from kassay.model.records import Record

SCHEMA = "kassay-pcp-replay/1"


class Totals(Record, frozen=True, kw_only=True):
    """Pages that passed between the lists and the main zone."""

    refills: int
    """How often."""
    refilled_pages: int
    drained_pages: int
    decay_pages: int
    """Of the drained, those that the vmstat worker drained."""
    high_order_drained: int
    """Pages in blocks of order 1 to 3."""


class Errors(Record, frozen=True, kw_only=True):
    """How far a policy is from the guest."""

    refilled: float | None
    drained: float | None
    """`refilled`/`drained`: Of the pages at the end, relative to the guest's; None where the guest has none."""
    moved: float | None
    """Of both together."""
    path: float | None
    """Mean distance of the pages refilled and drained up to each sample, relative to all that the guest moved."""
    high: float | None
    count: float | None
    """`high`/`count`: Mean distance of each CPU's high and count at each sample, relative to the guest's mean."""


class ListSample(Record, frozen=True, kw_only=True, array_like=True):
    """The lists of one CPU in the main zone at one time; pages."""

    time_ns: int
    cpu: int
    count: int
    high: int


class Replayed(Record, frozen=True, kw_only=True):
    """One policy."""

    policy: str
    kernels: str
    totals: Totals
    errors: Errors
    samples: tuple[ListSample, ...]
    """At the guest's times."""


class Guest(Record, frozen=True, kw_only=True):
    """The guest's own."""

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
    """The most that a CPU's count differs, at the end, from what the recorded events make of its count at the begin."""
    bulk_seen: bool


class ReplayedTrace(Record, frozen=True, kw_only=True):
    """One trace."""

    path: str
    """Of its file."""
    sha256: str
    """Of that."""
    own: str
    """The policy of the trace's kernel."""
    guest: Guest
    policies: tuple[Replayed, ...]


class PcpReplay(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    by_list: bool
    """True if each list began with what the trace shows of it (docs/how-to/pcp.md)."""
    traces: tuple[ReplayedTrace, ...]
    schema: str = SCHEMA
