# SPDX-License-Identifier: GPL-2.0-only
"""One question on several hosts: who measured what, what each host gave, and whether hosts differ in it."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting

SCHEMA = "kassay-hosts/1"


class HostRuns(Record, frozen=True, kw_only=True):
    """The runs of one host."""

    host: str
    """Name of the host; "" for the host that keeps the journal."""
    cpu: str
    """Model of the host's CPU; "" if that is not on record."""
    kernel: str
    """The host's own kernel; "" if that is not on record."""
    program: str
    """Emulator that the host used; "" if that is not on record."""
    ok: int
    """Number of attempts that succeeded."""
    failed: int
    """Number of attempts that failed."""


class HostChange(Record, frozen=True, kw_only=True):
    """One comparison by the boots of one host. Values are medians of times, or counts; change and interval as in a
    finding, by these boots alone; None where they are too few."""

    host: str
    base_value: float | None
    head_value: float | None
    n_base: int
    n_head: int
    change: float | None
    interval: tuple[float, float] | None


class HostComparison(AtPoint, frozen=True, kw_only=True):
    """One comparison, host by host."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    base: str
    head: str
    rows: tuple[HostChange, ...]
    level: float | None
    """Level of the intervals; None for exact counts."""
    p: float | None
    """Result of the test of the hypothesis that all hosts have one change."""
    threshold: float | None
    """Threshold that p is compared with."""
    common: float | None
    """The one change that fits all hosts best."""
    scatter: float | None
    """Scatter of the hosts' changes beyond what their boots explain, as a relative standard deviation. None if that
    cannot be told."""
    meaning: Reason
    """Conclusion of the comparison."""


class HostsAnswer(Record, frozen=True, kw_only=True):
    """Several run directories of one question side by side."""

    title: str
    """The question in words."""
    hosts: tuple[HostRuns, ...]
    comparisons: tuple[HostComparison, ...]
    notes: tuple[Reason, ...]
    """Notes that a reader must know before comparing the hosts."""
    kassay_version: str
    schema: str = SCHEMA
