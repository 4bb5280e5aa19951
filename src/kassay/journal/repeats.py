# SPDX-License-Identifier: GPL-2.0-only
"""Failures that must repeat: where counts are exact, a guest that reports an error reports it in every attempt."""

from collections.abc import Sequence

from kassay.model.plan import Plan
from kassay.model.run import RunRecord

REPEATED = ("guest-error", "check-failed", "no-modules")
"""Outcomes that guest or kernel decided. A panic or a torn stream may be the host's doing, and is tried again."""


def certain_failures(plan: Plan, records: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Runs that failed so, and runs that would: id -> the attempt that shows it. Empty where time is measured.

    A run that failed so is not tried again. If nothing was moved in it, the other runs of its cell would fail as well,
    unless one has succeeded.
    """
    failed = [record for record in records if record.outcome in REPEATED]
    if not failed or not plan.experiment.repeats_exactly:
        return {}
    runs = {run.id: run for run in plan.runs}
    succeeded = {record.run for record in records if record.outcome == "ok"}
    good_cells = {runs[name].cell for name in succeeded}
    found: dict[str, RunRecord] = {}
    for record in failed:
        found.setdefault(record.run, record)
        run = runs[record.run]
        if run.perturbation.number == 0 and not run.control and run.cell not in good_cells:
            for other in plan.runs:
                if other.cell == run.cell:
                    found.setdefault(other.id, record)
    return {name: record for name, record in found.items() if name not in succeeded}


def failure_everywhere(plan: Plan, records: Sequence[RunRecord]) -> RunRecord | None:
    """The first failed attempt if every run of the plan fails so, with one message; else None."""
    certain = certain_failures(plan, records)
    details = {record.detail for record in certain.values()}
    return certain[plan.runs[0].id] if len(certain) == len(plan.runs) and len(details) == 1 else None
