# SPDX-License-Identifier: GPL-2.0-only
"""Looks at a timed session: their number, the runs that count at each, and the changes that the session can show.

Nothing is judged in between: more looks would need another threshold.
"""

from collections.abc import Iterable, Sequence

import msgspec

from kassay.analysis.statistics.planning import boots_needed, detectable, threshold
from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import CellEvidence
from kassay.model.timing import LOOKS, Pace
from kassay.model.units import format_duration

MINIMUM_BOOTS = LOOKS[0]
_NEAR = 4


def looks(repeats: int) -> tuple[int, ...]:
    """Boots per kernel at which a session of at most `repeats` is looked at; five times at most, last at its end."""
    earlier = tuple(boots for boots in LOOKS[:4] if boots + _NEAR <= repeats)
    return (*earlier, repeats)


def within(run: PlannedRun, boots: int) -> bool:
    """True if a run is among the first `boots` of its kernel, or is a control of the blocks that these fill."""
    return run.block < (boots + 1) // 2 if run.control else run.repeat < boots


def between_looks(plan: Plan) -> tuple[tuple[PlannedRun, ...], ...]:
    """The runs, grouped by the first look that needs them: several hosts make one group at a time. One group where
    counts are exact."""
    if not plan.experiment.timed:
        return (plan.runs,)
    planned = looks(plan.experiment.repeats)
    by_look: dict[int, list[PlannedRun]] = {boots: [] for boots in planned}
    for run in plan.runs:
        by_look[next((boots for boots in planned if within(run, boots)), planned[-1])].append(run)
    return tuple(tuple(runs) for runs in by_look.values() if runs)


def last_look(plan: Plan, succeeded: Iterable[str], given_up: Iterable[str]) -> int | None:
    """The last look whose runs were all made or given up, in boots per kernel; None before the first.

    succeeded, given_up: ids of runs that succeeded, and of those that failed as often as they may.
    """
    done = {*succeeded, *given_up}
    reached = None
    for boots in looks(plan.experiment.repeats):
        if all(run.id in done for run in plan.runs if within(run, boots)):
            reached = boots
    return reached


def as_of_last_look(plan: Plan, evidence: Sequence[CellEvidence]) -> tuple[tuple[CellEvidence, ...], int | None]:
    """The evidence as of the last look, and that look; all of the evidence before the first one."""
    succeeded = {m.run for item in evidence for m in item.measurements}
    limit = 1 + plan.experiment.retries
    failed = (record for item in evidence for record in (*item.failures, *item.control_failures))
    given_up = {record.run for record in failed if record.attempt >= limit}
    boots = last_look(plan, succeeded, given_up)
    if boots is None:
        return tuple(evidence), None
    inside = {run.id for run in plan.runs if within(run, boots) or run.perturbation.number}
    return tuple(_as_of(item, inside) for item in evidence), boots


def _as_of(item: CellEvidence, inside: set[str]) -> CellEvidence:
    measurements = tuple(m for m in item.measurements if m.run in inside)
    failures = tuple(record for record in item.failures if record.run in inside)
    lost = {record.run for record in failures} - {m.run for m in measurements}
    return msgspec.structs.replace(item, measurements=measurements, failures=failures, lost=len(lost), unmade=0)


_USUAL_CV = (0.02, 0.05)


def outlook(plan: Plan, pace: Pace | None) -> str:
    """One line: boots and looks planned, what they cost, and the change they show in four of five sessions."""
    e = plan.experiment
    planned = looks(e.repeats)
    first = sum(1 for run in plan.runs if within(run, planned[0])) if e.order != "sequential" else len(plan.runs)
    boots = f"{first} to {len(plan.runs)} boots" if first < len(plan.runs) else f"{len(plan.runs)} boots"
    at = "/".join(map(str, planned))
    session_text = f"{boots}{_cost(pace, first, len(plan.runs))}; looked at after {at} per kernel"
    if planned[-1] < MINIMUM_BOOTS:
        return f"{session_text}; no verdict is possible below {MINIMUM_BOOTS} boots per kernel, this only screens"
    if len(plan.kernels) < 2:
        return f"{session_text}; one kernel is compared with nothing"
    level = threshold(len(planned)) / _questions(plan)
    shown = ", ".join(f"{detectable(cv, planned[-1], level):.1%} where boots scatter by {cv:.0%}" for cv in _USUAL_CV)
    needed = ", ".join(str(boots_needed(cv, e.margin, level)) for cv in _USUAL_CV)
    return f"{session_text}; shows a change of {shown}, in 4 of 5 sessions (one of {e.margin:.1%} takes {needed} boots)"


def _questions(plan: Plan) -> int:
    """Primary comparisons that share the level of a look."""
    groups = len({cell.setting_key for cell in plan.cells})
    return groups * (len(plan.kernels) - 1)


def _cost(pace: Pace | None, first: int, most: int) -> str:
    if pace is None:
        return " (each at least as long as the guest takes to boot)"
    shortest, longest = format_duration(first * pace.seconds), format_duration(most * pace.seconds)
    return f" ({shortest} to {longest} at {pace.seconds:.1f} s each)"
