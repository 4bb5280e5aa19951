# SPDX-License-Identifier: GPL-2.0-only
"""One question on several hosts: who measured what, what each host gave, and whether hosts differ in it."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting

SCHEMA = "kassay-hosts/1"


class HostRuns(Record, frozen=True, kw_only=True):
    """The runs of one host."""

    host: str
    """ "" for the host that keeps the journal."""
    cpu: str
    kernel: str
    program: str
    """`cpu`/`kernel`/`program`: Its CPU model, its own kernel, and the emulator it used; "" where that is not on
    record."""
    ok: int
    failed: int
    """`ok`/`failed`: Attempts by their end."""


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
    """Of the intervals; None for exact counts."""
    p: float | None
    """Of "one change is all hosts'"."""
    threshold: float | None
    """What p is held against."""
    common: float | None
    """That change."""
    scatter: float | None
    """How far the hosts' changes scatter beyond what their boots explain, as a relative standard deviation. None where
    that cannot be told."""
    meaning: Reason
    """What it comes to."""


class HostsAnswer(Record, frozen=True, kw_only=True):
    """Several run directories of one question side by side."""

    title: str
    """The question in words."""
    hosts: tuple[HostRuns, ...]
    comparisons: tuple[HostComparison, ...]
    notes: tuple[Reason, ...]
    """What a reader must know before comparing them."""
    kassay_version: str
    schema: str = SCHEMA
