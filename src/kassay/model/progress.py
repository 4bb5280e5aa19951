# SPDX-License-Identifier: GPL-2.0-only
"""Events that a long operation reports while it runs."""

from collections.abc import Callable

from kassay.model.records import Record


class CellCount(Record, frozen=True, kw_only=True):
    """Runs of one cell."""

    point: int
    """Place of the point in RunCounts.points."""
    kernel: int
    """Place of the kernel in RunCounts.kernels."""
    planned: int
    ok: int = 0
    failed: int = 0
    """Number of attempts that failed."""
    lost: int = 0
    """Number of runs that failed as often as they may."""
    under_way: int = 0
    """Number of runs that are being made now, as far as that is known."""
    hosts: tuple[str, ...] = ()
    """Hosts that made the runs; "" for the host that keeps the journal."""


class HostCount(Record, frozen=True, kw_only=True):
    """Attempts of one host, by their end."""

    host: str
    """Name of the host; "" for the host that keeps the journal."""
    ok: int
    failed: int
    seconds: float | None
    """Mean wall time of an ok run; None before the first."""
    last_utc: str = ""
    """Start of its newest attempt."""


class RunCounts(Record, frozen=True, kw_only=True):
    """Counts of the runs of a plan that are done."""

    points: tuple[str, ...]
    """Workloads with their settings, in words."""
    kernels: tuple[str, ...]
    """Names of the kernels for people."""
    cells: tuple[CellCount, ...]
    hosts: tuple[HostCount, ...] = ()
    """Hosts in the order in which they gave their first run."""
    left_s: float | None = None
    """Wall seconds until the last planned run ends, at the pace so far. None while no pace is known."""


class Progress(Record, frozen=True, kw_only=True):
    """One event of kassay's work."""

    stage: str
    subject: str
    """Subject of the event ("debian:6.17", "run 3/20")."""
    text: str = ""
    done: float | None = None
    """Part that is done, from 0 to 1; None when not known."""
    counts: RunCounts | None = None
    """Counts of the runs of a plan after this event."""
    passing: bool = False
    """True for an event that only a redrawn display shows. A log leaves it out."""


Tell = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Tells nobody."""
