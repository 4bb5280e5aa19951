# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp replay`: a recorded guest, and the results of the simulator's policies for its page events."""

from kassay.model.records import Record

SCHEMA = "kassay-pcp-replay/1"


class Totals(Record, frozen=True, kw_only=True):
    """Pages that passed between the lists and the main zone. refills: how often; decay_pages: of the drained, those
    that the vmstat worker drained. high_order_drained: pages in blocks of order 1 to 3."""

    refills: int
    refilled_pages: int
    drained_pages: int
    decay_pages: int
    high_order_drained: int


class Errors(Record, frozen=True, kw_only=True):
    """How far a policy is from the guest.

    refilled, drained: of the pages at the end, relative to the guest's; None where the guest has none. moved: of both
    together. path: mean distance of the pages refilled and drained up to each sample, relative to all that the guest
    moved. high, count: mean distance of each CPU's high and count at each sample, relative to the guest's mean.
    """

    refilled: float | None
    drained: float | None
    moved: float | None
    path: float | None
    high: float | None
    count: float | None


class ListSample(Record, frozen=True, kw_only=True, array_like=True):
    """The lists of one CPU in the main zone at one time; pages."""

    time_ns: int
    cpu: int
    count: int
    high: int


class Replayed(Record, frozen=True, kw_only=True):
    """One policy. samples: at the guest's times."""

    policy: str
    kernels: str
    totals: Totals
    errors: Errors
    samples: tuple[ListSample, ...]


class Guest(Record, frozen=True, kw_only=True):
    """The guest's own. unexplained_pages: the most that a CPU's count differs, at the end, from what the recorded
    events make of its count at the begin."""

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
    bulk_seen: bool


class ReplayedTrace(Record, frozen=True, kw_only=True):
    """One trace. path: of its file; sha256: of that. own: the policy of the trace's kernel."""

    path: str
    sha256: str
    own: str
    guest: Guest
    policies: tuple[Replayed, ...]


class PcpReplay(Record, frozen=True, kw_only=True):
    """The whole answer. by_list: whether each list began with what the trace shows of it (docs/how-to/pcp.md)."""

    kassay_version: str
    by_list: bool
    traces: tuple[ReplayedTrace, ...]
    schema: str = SCHEMA
