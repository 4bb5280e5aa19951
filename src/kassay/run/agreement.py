# SPDX-License-Identifier: GPL-2.0-only
"""Check that hosts agree as their runs come in: the same run must have the same counts on every host."""

from collections.abc import Iterable

from kassay.errors import HostLacks
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory
from kassay.model.count_differences import disagreement_reason, first_difference
from kassay.model.experiment import labels
from kassay.model.guest import PhaseRounds
from kassay.model.plan import Perturbation, PlannedRun
from kassay.model.reason_texts import reason_text
from kassay.model.run import RunRecord
from kassay.supply.guest import protocol

Key = tuple[str, Perturbation]
"""A cell and a perturbation: these two determine the counts of a run."""


class Agreement:
    """The agreement of one plan's runs; nothing is compared where time is measured. add() is for one thread, made_by()
    for any."""

    def __init__(self, folder: RunDirectory, records: Iterable[RunRecord]) -> None:
        self._folder = folder
        self._keys: dict[str, Key] = {run.id: (run.cell, run.perturbation) for run in folder.plan.runs}
        names = labels(folder.plan.experiment)
        self._labels = {cell.id: names[cell.kernel] for cell in folder.plan.cells}
        self._first: dict[Key, RunRecord] = {}
        self._hosts: dict[Key, tuple[str, ...]] = {}
        for record in records:
            self.add(record)

    def made_by(self, run: PlannedRun) -> tuple[str, ...]:
        """The hosts that made runs which must have the same counts as this one."""
        return self._hosts.get((run.cell, run.perturbation), ())

    def add(self, record: RunRecord) -> None:
        """Raises HostLacks that names two hosts, where this run and another one must have the same counts and do not.
        What was measured is already in the journal."""
        if record.outcome != "ok" or not self._folder.plan.experiment.repeats_exactly:
            return
        key, host = self._keys[record.run], record.host or ""
        first = self._first.setdefault(key, record)
        self._hosts[key] = tuple(dict.fromkeys((*self._hosts.get(key, ()), host)))
        if (first.host or "") == host or first.stream_sha256 == record.stream_sha256:
            return
        difference = first_difference(self._phases(first), self._phases(record))
        if difference is None:
            return
        why = disagreement_reason(self._labels[key[0]], (first.run, record.run), (first.host or "", host), difference)
        raise HostLacks(
            f"{self._folder.path}: {reason_text(why)}",
            f"what they measured stays in the journal, and is not merged: kassay report {self._folder.path}; measure "
            "anew without one of them, with --fresh",
        )

    def _phases(self, record: RunRecord) -> tuple[PhaseRounds, ...]:
        assert record.stream_sha256 is not None  # an ok run has a stream
        return protocol.parse(artifacts.get(self._folder.path, record.stream_sha256)).phases
