# SPDX-License-Identifier: GPL-2.0-only
"""Failures that must repeat: where counts are exact, a guest that reports an error reports it in every attempt."""

from collections.abc import Iterator, Mapping, Sequence

from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import RunRecord

REPEATED = ("guest-error", "check-failed", "no-modules")
"""Outcomes that guest or kernel decided. A panic or a torn stream may be the host's doing, and is tried again."""
_REPEATED_ALIKE = ("panic", "oops", "no-boot")
"""Outcomes that the kernel decided if two plain runs of a cell, or two attempts, ended so with the same bytes."""


def certain_failures(plan: Plan, records: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Runs that failed so, and runs that would: id -> the attempt that shows it. Empty where time is measured.

    A run that failed so, or twice alike, is not tried again. If nothing was moved in it, the other runs of its cell
    would fail as well, unless one has succeeded.
    """
    if not plan.experiment.repeats_exactly or all(record.outcome == "ok" for record in records):
        return {}
    runs = {run.id: run for run in plan.runs}
    failed = [record for record in records if record.outcome in REPEATED]
    failed += _failed_alike(records, runs)
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


def _failed_alike(records: Sequence[RunRecord], runs: Mapping[str, PlannedRun]) -> Iterator[RunRecord]:
    """Plain runs that ended as an earlier one of their cell did, to the byte."""
    seen = set()
    for record in records:
        run = runs[record.run]
        if record.outcome in _REPEATED_ALIKE and not run.perturbation.number and not run.control:
            end = run.cell, record.outcome, record.detail, record.stream_sha256, record.console_sha256
            if end in seen:
                yield record
            seen.add(end)


def failure_everywhere(plan: Plan, records: Sequence[RunRecord]) -> RunRecord | None:
    """The first failed attempt if every run of the plan fails so, with one message; else None."""
    certain = certain_failures(plan, records)
    if any(record.outcome not in REPEATED for record in certain.values()):
        return None
    details = {record.detail for record in certain.values()}
    return certain[plan.runs[0].id] if len(certain) == len(plan.runs) and len(details) == 1 else None
