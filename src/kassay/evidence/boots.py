# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> the timed boots in the order in which they were made."""

from collections.abc import Sequence

from kassay.model.experiment import labels
from kassay.model.plan import Plan
from kassay.model.run import RunRecord
from kassay.model.timing import TimedBoot


def timed_boots(plan: Plan, records: Sequence[RunRecord]) -> tuple[TimedBoot, ...]:
    """Every attempt of the journal, by its start. Attempts of one second stay in the journal's order."""
    runs, cells = {run.id: run for run in plan.runs}, {cell.id: cell for cell in plan.cells}
    succeeded = {record.run for record in records if record.outcome == "ok"}
    names = labels(plan.experiment)
    boots = []
    for record in sorted(records, key=lambda record: record.started_utc):
        run = runs[record.run]
        cell = cells[run.cell]
        boots.append(TimedBoot(
            run=run.id, kernel=names[cell.kernel], workload=cell.workload, settings=cell.settings,
            machine=cell.machine, block=run.block, started_utc=record.started_utc, control=run.control,
            outcome=record.outcome, lost=run.id not in succeeded, detail=record.detail,
        ))  # fmt: skip
    return tuple(boots)
