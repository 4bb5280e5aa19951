# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp tune`: a recorded guest, replayed with other constants of its policy."""

from kassay.labs.pcp.model.simulated import Rate
from kassay.model.records import Record, Setting

SCHEMA = "kassay-pcp-tuning/1"

MEASURES = {
    "moved_pages": Rate(
        title="zone traffic", definition="pages that were refilled from the main zone or drained to it, all CPUs"
    ),
    "idle_pages": Rate(
        title="idle pages", definition="pages in all lists of the main zone together, mean over the time of the trace"
    ),
    "acquisitions": Rate(title="lock taken", definition="acquisitions of the locks of all zones"),
    "held_ns": Rate(title="lock held, ns", definition="time that these locks are held, by the model's costs"),
    "longest_hold_ns": Rate(title="longest hold, ns", definition="the longest of these times, of one acquisition"),
}
"""Measures that a choice of constants trades against each other; of each, less is better."""


class Choice(Record, frozen=True, kw_only=True):
    """Constants, and the model's result with them."""

    settings: tuple[Setting, ...]
    is_kernels: bool
    """True for the constants of the guest's kernel."""
    measures: dict[str, float]
    """By the names in MEASURES."""
    decayed_pages: int
    """Pages that the vmstat worker drained."""
    is_compromise: bool
    """True if no other choice beats it: better in one measure by more than the margin, and worse in none by more."""


class Range(Record, frozen=True, kw_only=True):
    """Values of one constant that were replayed with the others as in the kernel."""

    name: str
    kernels: int
    """The kernel's value."""
    tried: tuple[int, ...]
    least: int
    """Lowest value from which on, up to the kernel's, no measure differs from the kernel's by more than the margin."""
    most: int
    """Highest such value."""
    is_idle: bool
    """True if it changed no measure of any choice."""


class TunedTrace(Record, frozen=True, kw_only=True):
    """One trace."""

    path: str
    sha256: str
    kernel: str
    release: str
    workload: str
    cpus: int
    memory_bytes: int
    zone: str
    span_ns: int
    policy: str
    worker_runs: int
    """Times that the vmstat worker ran in the guest, on all CPUs."""
    own_policy: str
    """Policy of the guest's kernel, by which the errors are."""
    moved_error: float | None
    """Relative difference of the pages that the model moves from those that the guest moved; None if it moved none."""
    idle_error: float | None
    """The same of the pages in the lists, means of all samples."""
    margins: dict[str, float]
    """By measure, the relative difference that counts: 5 %, or what a batch of one page more or less changes, if that
    is more."""
    choices: tuple[Choice, ...]
    """All combinations, in the order of their values."""
    ranges: tuple[Range, ...]
    left_out: tuple[Setting, ...] = ()
    """Values that no choice has, as high_min would be above high_max."""


class PcpTuning(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    traces: tuple[TunedTrace, ...]
    schema: str = SCHEMA
