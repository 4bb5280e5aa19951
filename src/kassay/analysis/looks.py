# SPDX-License-Identifier: GPL-2.0-only
"""When a timed session may be looked at, and what of it is seen then. Never in between: that would be another test."""

from collections.abc import Iterable, Sequence

import msgspec

from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan, PlannedRun
from kassay.model.timing import LOOKS

MINIMUM_BOOTS = LOOKS[0]
_NEAR = 4


def looks(repeats: int) -> tuple[int, ...]:
    """Boots per kernel at which a session of at most `repeats` is looked at; five times at most, last at its end."""
    earlier = tuple(boots for boots in LOOKS[:4] if boots + _NEAR <= repeats)
    return (*earlier, repeats)


def within(run: PlannedRun, boots: int) -> bool:
    """Whether a run is among the first `boots` of its kernel, or a control of the blocks that these fill."""
    return run.block < (boots + 1) // 2 if run.control else run.repeat < boots


def last_look(plan: Plan, made: Iterable[str], given_up: Iterable[str]) -> int | None:
    """The last look whose runs were all made or given up, in boots per kernel; None before the first.

    made, given_up: ids of runs that succeeded, and of those that failed as often as they may.
    """
    done = {*made, *given_up}
    reached = None
    for boots in looks(plan.experiment.repeats):
        if all(run.id in done for run in plan.runs if within(run, boots)):
            reached = boots
    return reached


def seen(plan: Plan, evidence: Sequence[CellEvidence]) -> tuple[tuple[CellEvidence, ...], int | None]:
    """The evidence as of the last look, and that look; all of the evidence before the first one."""
    made = {m.run for item in evidence for m in item.measurements}
    limit = 1 + plan.experiment.retries
    failed = (record for item in evidence for record in (*item.failures, *item.control_failures))
    given_up = {record.run for record in failed if record.attempt >= limit}
    boots = last_look(plan, made, given_up)
    if boots is None:
        return tuple(evidence), None
    inside = {run.id for run in plan.runs if within(run, boots) or run.perturbation.number}
    return tuple(_as_of(item, inside) for item in evidence), boots


def _as_of(item: CellEvidence, inside: set[str]) -> CellEvidence:
    measurements = tuple(m for m in item.measurements if m.run in inside)
    failures = tuple(record for record in item.failures if record.run in inside)
    lost = {record.run for record in failures} - {m.run for m in measurements}
    return msgspec.structs.replace(item, measurements=measurements, failures=failures, lost=len(lost), unmade=0)
