# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a timed session that must stay on one host. Times of two hosts are not compared boot by boot."""

from collections.abc import Callable

from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import RunRecord

LOST = "host-lost"
"""Outcome of a run whose host was lost in the middle of a block."""


def sequence_of(plan: Plan) -> Callable[[PlannedRun], str]:
    """For each run the name of those that are made on its host, one after another: the block of its cells, or all
    blocks where the order compares one with the next. "" where counts are exact: they do not depend on the host."""
    if not plan.experiment.depends_on_host:
        return lambda _: ""
    keys = {cell.id: cell.setting_key for cell in plan.cells}
    if plan.experiment.order == "sequential":
        return lambda run: keys[run.cell]
    return lambda run: f"{keys[run.cell]}/{run.block}"


def hosts_of_sequences(plan: Plan, records: tuple[RunRecord, ...]) -> dict[str, str]:
    """By sequence the host that made the last of its runs, "" for this one; sequences without a run are not in it."""
    sequences = _sequence_of_run(plan)
    return {sequences[record.run]: record.host or "" for record in records}


def _sequence_of_run(plan: Plan) -> dict[str, str]:
    """The sequence of each run, by the run's id."""
    sequence = sequence_of(plan)
    return {run.id: sequence(run) for run in plan.runs}


def counted_records(plan: Plan, records: tuple[RunRecord, ...]) -> tuple[RunRecord, ...]:
    """The records that count: of a block that was continued on another host, only those of that host."""
    if not plan.experiment.depends_on_host or not any(record.host for record in records):
        return records
    sequences = _sequence_of_run(plan)
    newest = hosts_of_sequences(plan, records)
    return tuple(
        record for record in records
        if record.outcome != LOST and (record.host or "") == newest[sequences[record.run]]
    )  # fmt: skip
