# SPDX-License-Identifier: GPL-2.0-only
"""Events that a long operation reports while it runs."""

from collections.abc import Callable

from kassay.model.records import Record


class CellCount(Record, frozen=True, kw_only=True):
    """Runs of one cell."""

    point: int
    kernel: int
    """`point`/`kernel`: Places in RunCounts."""
    planned: int
    ok: int = 0
    failed: int = 0
    """Attempts that failed."""
    lost: int = 0
    """Runs that failed as often as they may."""
    under_way: int = 0
    """Being made now, as far as that is known."""
    hosts: tuple[str, ...] = ()
    """That made them, "" for the one that keeps the journal."""


class HostCount(Record, frozen=True, kw_only=True):
    """Attempts of one host, by their end."""

    host: str
    """ "" for the one that keeps the journal."""
    ok: int
    failed: int
    seconds: float | None
    """Mean wall time of an ok run; None before the first."""


class RunCounts(Record, frozen=True, kw_only=True):
    """How many runs of a plan are done."""

    points: tuple[str, ...]
    """Workloads with their settings, in words."""
    kernels: tuple[str, ...]
    """As people call them."""
    cells: tuple[CellCount, ...]
    hosts: tuple[HostCount, ...] = ()
    """In the order in which they gave their first run."""
    left_s: float | None = None
    """Wall seconds until the last planned run ends, at the pace so far; None while there is none."""


class Progress(Record, frozen=True, kw_only=True):
    """One event."""

    stage: str
    subject: str
    """What it is about ("debian:6.17", "run 3/20")."""
    text: str = ""
    done: float | None = None
    """0..1, None when not known."""
    counts: RunCounts | None = None
    """Of the runs of a plan, after this event."""
    passing: bool = False
    """For a display that is redrawn; a log leaves it out."""


Tell = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Tells nobody."""
