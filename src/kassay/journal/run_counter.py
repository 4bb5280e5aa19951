# SPDX-License-Identifier: GPL-2.0-only
"""Counts of a journal: runs of each cell and host, and how long the runs that are still owed will take."""

import threading
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import structs

from kassay.journal.host_blocks import LOST
from kassay.model.plan import Plan, PlannedRun
from kassay.model.progress import CellCount, HostCount, RunCounts
from kassay.model.run import RunRecord

_RECENT = 64
"""The last runs, from which the time of the next ones is estimated."""
_PAUSE_S = 60.0
"""A longer pause between two runs separates two sessions."""


class _Span(NamedTuple):
    """Time span of a run, in seconds since 1970."""

    start: float
    end: float


class _Walls(NamedTuple):
    """Ok runs of a cell, and their wall seconds together."""

    runs: int
    seconds: float


class RunCounter:
    """Counts of one plan; records are added in the order of the journal. Safe to use from several threads.

    kernels, points: what people call them, in the order of the plan's kernels and of its cells' points.
    """

    def __init__(
        self, plan: Plan, kernels: Sequence[str], points: Sequence[str], records: Iterable[RunRecord] = ()
    ) -> None:
        point_indexes = {point: index for index, point in enumerate(dict.fromkeys(cell.point for cell in plan.cells))}
        planned = Counter(run.cell for run in plan.runs)
        self._limit = 1 + plan.experiment.retries
        self._kernels, self._points = tuple(kernels), tuple(points)
        self._cell_of = {run.id: run.cell for run in plan.runs}
        self._cells = {
            cell.id: CellCount(point=point_indexes[cell.point], kernel=cell.kernel, planned=planned[cell.id])
            for cell in plan.cells
        }
        self._hosts: dict[str, HostCount] = {}
        self._walls: dict[str, _Walls] = {}
        self._recent: deque[_Span] = deque(maxlen=_RECENT)
        self._ok: set[str] = set()  # a block that is continued on another host is made again
        self._lock = threading.Lock()
        for record in records:
            self.add(record)

    def begin(self, run: PlannedRun) -> None:
        """A run is under way until its record is added."""
        with self._lock:
            self._change(run.cell, under_way=1)

    def add(self, record: RunRecord, *, begun: bool = False) -> None:
        """One attempt ended. begun: whether begin() was called for it."""
        cell, good = self._cell_of[record.run], record.outcome == "ok"
        wall, host = sum(structs.astuple(record.wall)), record.host or ""
        with self._lock:
            lost = not good and record.outcome != LOST and record.attempt >= self._limit
            first = good and record.run not in self._ok
            self._change(cell, ok=first, failed=not good, lost=lost, under_way=-begun)
            if host not in (hosts := self._cells[cell].hosts):
                self._cells[cell] = structs.replace(self._cells[cell], hosts=(*hosts, host))
            if first:
                self._ok.add(record.run)
            if good:
                before = self._walls.get(cell, _Walls(0, 0.0))
                self._walls[cell] = _Walls(before.runs + 1, before.seconds + wall)
            self._add_to_host(host, wall, record.started_utc, good=good)
            if (start := _seconds(record.started_utc)) is not None:
                self._recent.append(_Span(start, start + wall))

    def counts(self) -> RunCounts:
        """Counts up to now."""
        with self._lock:
            return RunCounts(
                points=self._points, kernels=self._kernels, cells=tuple(self._cells.values()),
                hosts=tuple(self._hosts.values()), left_s=self._left(),
            )  # fmt: skip

    def _change(self, cell: str, **by: int) -> None:
        count = self._cells[cell]
        self._cells[cell] = structs.replace(count, **{name: getattr(count, name) + more for name, more in by.items()})

    def _add_to_host(self, host: str, wall: float, started_utc: str, *, good: bool) -> None:
        old = self._hosts.get(host, HostCount(host=host, ok=0, failed=0, seconds=None))
        seconds = ((old.seconds or 0.0) * old.ok + wall) / (old.ok + 1) if good else old.seconds
        self._hosts[host] = HostCount(
            host=host,
            ok=old.ok + good,
            failed=old.failed + (not good),
            seconds=seconds,
            last_utc=max(old.last_utc, started_utc),
        )

    def _left(self) -> float | None:
        """Seconds for the runs that are owed: each takes as long as its cell's runs did, and as many run at a time as
        before."""
        at_a_time = _parallel(self._recent)
        if not self._walls or at_a_time is None:
            return None
        usual = sum(walls.seconds for walls in self._walls.values()) / sum(walls.runs for walls in self._walls.values())
        takes = {cell: walls.seconds / walls.runs for cell, walls in self._walls.items()}
        owed = {cell: count.planned - count.ok - count.lost for cell, count in self._cells.items()}
        return sum(count * takes.get(cell, usual) for cell, count in owed.items()) / at_a_time


def _parallel(spans: Iterable[_Span]) -> float | None:
    """Runs under way at a time on average, in the last session; None where nothing took time."""
    busy, end, start = 0.0, None, 0.0
    for span in sorted(spans, key=lambda span: span.end, reverse=True):
        if end is None:
            end = start = span.end
        if start - span.end > _PAUSE_S:
            break
        start = min(start, span.start)
        busy += span.end - span.start
    length = 0.0 if end is None else end - start
    return max(busy / length, 0.01) if length > 0 and busy > 0 else None


def _seconds(utc: str) -> float | None:
    try:
        return datetime.strptime(utc, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
