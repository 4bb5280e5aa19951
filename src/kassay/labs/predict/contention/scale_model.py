# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay predict --scale`: throughput by number of CPUs, and the locks that CPUs wait for."""

from itertools import takewhile

from kassay.labs.predict.asked import Asked
from kassay.model.records import Record

SCALE_SCHEMA = "kassay-scale/1"
PROCESSES, THREADS = "processes", "threads"
"""CPUs run a process each, or threads of one process."""


class LockUse(Record, frozen=True, kw_only=True):
    """A lock or a shared line on one CPU, which never waits. Locks of one name are together."""

    name: str
    sharers: str
    """cpu, own, process, node or system (docs/explained/contention.md)."""
    takes: float
    """Acquisitions, or writes of a line, per operation."""
    hold_ns: float
    """Mean time that it is held. 0 for a line."""
    held: float
    """Share of the time in which it is held."""
    lines: float
    """Lines that move with it, mean of an acquisition."""
    known: bool
    """False if kassay does not know the lock and assumes that nobody shares it."""


class Waiting(Record, frozen=True, kw_only=True):
    """Share of the CPUs' time that they wait for a lock or for its line."""

    lock: str
    share: float


class ScalePoint(Record, frozen=True, kw_only=True):
    """One number of CPUs."""

    cpus: int
    speedup: float
    """Throughput, divided by that of one CPU."""
    interval: tuple[float, float]
    """Lowest and highest speedup."""
    per_second: float
    """Operations of all CPUs together."""
    waiting: tuple[Waiting, ...] = ()
    """Waiting times, the largest first."""
    problem: str = ""
    """Reason why the figures do not hold; "" if they do."""


class Scaled(Asked, frozen=True, kw_only=True):
    """One kernel on one CPU."""

    one_ns: float | None = None
    """Time of an operation on one CPU."""
    points: tuple[ScalePoint, ...] = ()
    bend: int | None = None
    """Number of CPUs from which on one more brings less than half of what the first one does; None if none."""
    bend_lock: str = ""
    """The lock with the largest share of waiting there."""
    peak: int | None = None
    """Number of CPUs with the largest throughput, if it is 2 % above that of the most CPUs; else None."""
    locks: tuple[LockUse, ...] = ()
    """Locks that are taken, by the time in which they are held."""
    doubts: tuple[str, ...] = ()
    problem: str = ""
    """Reason why there is no answer; "" if there is one."""

    @property
    def sound(self) -> tuple[ScalePoint, ...]:
        """Points up to the first whose figures do not hold, without that one."""
        return tuple(takewhile(lambda point: not point.problem, self.points))


class ScaleReport(Record, frozen=True, kw_only=True):
    """Curves, for each kernel and CPU."""

    scale_as: str
    """PROCESSES or THREADS."""
    shared: tuple[str, ...]
    """Functions whose locks were taken as shared by all CPUs, by the user's word."""
    answers: tuple[Scaled, ...]
    kassay_version: str
    schema: str = SCALE_SCHEMA
