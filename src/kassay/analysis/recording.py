# SPDX-License-Identifier: GPL-2.0-only
"""Choice of the rounds that a run records: those that the values stand for, known from the plain runs made before
it."""

from collections.abc import Callable
from threading import Lock

from kassay.analysis.rounds import costs, method_of, summarise
from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import CellEvidence, RunRecord
from kassay.model.traced_rounds import joined_pairs, rounds_to_record

Collect = Callable[[tuple[RunRecord, ...]], tuple[CellEvidence, ...]]


class RoundsToRecord:
    """Callable with the records so far, a run and the usual rounds; returns the rounds that the run records."""

    def __init__(self, plan: Plan, collect: Collect) -> None:
        self._collect, self._lock = collect, Lock()
        self._points = {cell.id: cell.point for cell in plan.cells}
        self._cell_of = {run.id: run.cell for run in plan.runs}
        self._groups: dict[object, tuple[CellEvidence, ...]] = {}

    def __call__(
        self, records: tuple[RunRecord, ...], run: PlannedRun, usual: tuple[int, ...]
    ) -> tuple[int, ...]:  # fmt: skip
        group = self._group(records, run)
        plain = next((m for item in group if item.cell.id == run.cell for m in item.measurements if m.plain), None)
        if plain is None:
            return usual
        pairs = []
        for phase in plain.phases:
            by_round = costs(phase)
            summary = summarise(by_round, method_of(group, phase.phase))
            numbered = dict(enumerate(by_round, 1))
            pairs.append(rounds_to_record(numbered, summary.ticks, {n + 1 for n in summary.chosen}, usual))
        return joined_pairs(pairs) or usual

    def _group(self, records: tuple[RunRecord, ...], run: PlannedRun) -> tuple[CellEvidence, ...]:
        """The evidence of all kernels at the point of a run, each point collected once."""
        point = self._points[run.cell]
        with self._lock:
            if point not in self._groups:
                at_point = tuple(record for record in records if self._points[self._cell_of[record.run]] == point)
                found = self._collect(at_point)
                self._groups[point] = tuple(item for item in found if item.cell.point == point and item.measurements)
            return self._groups[point]
