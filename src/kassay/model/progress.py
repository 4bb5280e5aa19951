# SPDX-License-Identifier: GPL-2.0-only
"""Events that a long operation reports while it runs."""

from collections.abc import Callable

from kassay.model.records import Record


class CellCount(Record, frozen=True, kw_only=True):
    """Runs of one cell. point, kernel: places in RunCounts. failed: attempts that failed; lost: runs that failed as
    often as they may. under_way: being made now, as far as that is known. hosts: that made them, "" for the one that
    keeps the journal."""

    point: int
    kernel: int
    planned: int
    ok: int = 0
    failed: int = 0
    lost: int = 0
    under_way: int = 0
    hosts: tuple[str, ...] = ()


class HostCount(Record, frozen=True, kw_only=True):
    """Attempts of one host, by their end. host: "" for the one that keeps the journal. seconds: mean wall time of an
    ok run; None before the first."""

    host: str
    ok: int
    failed: int
    seconds: float | None


class RunCounts(Record, frozen=True, kw_only=True):
    """How many runs of a plan are done. points: workloads with their settings, in words; kernels: as people call them.

    hosts: in the order in which they gave their first run. left_s: wall seconds until the last planned run ends, at
    the pace so far; None while there is none.
    """

    points: tuple[str, ...]
    kernels: tuple[str, ...]
    cells: tuple[CellCount, ...]
    hosts: tuple[HostCount, ...] = ()
    left_s: float | None = None


class Progress(Record, frozen=True, kw_only=True):
    """One event. subject: what it is about ("debian:6.17", "run 3/20"). done: 0..1, None when not known.

    counts: of the runs of a plan, after this event. passing: for a display that is redrawn; a log leaves it out.
    """

    stage: str
    subject: str
    text: str = ""
    done: float | None = None
    counts: RunCounts | None = None
    passing: bool = False


Tell = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Tells nobody."""
