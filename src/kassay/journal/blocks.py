# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a timed session that must stay on one host. Times of two hosts are not compared boot by boot."""

from collections.abc import Callable

from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import RunRecord

LOST = "host-lost"
"""Outcome of a run whose host was lost in the middle of a block."""


def lane_of(plan: Plan) -> Callable[[PlannedRun], str]:
    """For each run the name of those that are made on its host, one after another: the block of its cells, or all
    blocks where the order compares one with the next. "" where counts are exact: they do not depend on the host."""
    if plan.experiment.exact:
        return lambda _: ""
    keys = {cell.id: cell.setting_key for cell in plan.cells}
    if plan.experiment.order == "sequential":
        return lambda run: keys[run.cell]
    return lambda run: f"{keys[run.cell]}/{run.block}"


def hosts_of_lanes(plan: Plan, records: tuple[RunRecord, ...]) -> dict[str, str]:
    """Host that made the last run of each lane, by lane; "" for this host. A lane without a run is left out."""
    lanes = _lane_of_run(plan)
    return {lanes[record.run]: record.host or "" for record in records}


def _lane_of_run(plan: Plan) -> dict[str, str]:
    """The lane of each run, by the run's id."""
    lane = lane_of(plan)
    return {run.id: lane(run) for run in plan.runs}


def standing(plan: Plan, records: tuple[RunRecord, ...]) -> tuple[RunRecord, ...]:
    """The records that count: of a block that was continued on another host, only those of that host."""
    if plan.experiment.exact or not any(record.host for record in records):
        return records
    lanes = _lane_of_run(plan)
    newest = hosts_of_lanes(plan, records)
    return tuple(
        record for record in records
        if record.outcome != LOST and (record.host or "") == newest[lanes[record.run]]
    )  # fmt: skip
