# SPDX-License-Identifier: GPL-2.0-only
"""Before the first boot of a timed session: how many boots, how long, and how small a change they can show."""

from kassay.analysis.looks import MINIMUM_BOOTS, looks, within
from kassay.analysis.statistics.planning import boots_needed, detectable, threshold
from kassay.model.plan import Plan
from kassay.model.timing import Pace

_USUAL_CV = (0.02, 0.05)


def outlook(plan: Plan, pace: Pace | None) -> str:
    """One line: boots and looks planned, what they cost, and the change they show in four of five sessions."""
    e = plan.experiment
    planned = looks(e.repeats)
    first = sum(1 for run in plan.runs if within(run, planned[0])) if e.order != "sequential" else len(plan.runs)
    boots = f"{first} to {len(plan.runs)} boots" if first < len(plan.runs) else f"{len(plan.runs)} boots"
    at = "/".join(map(str, planned))
    said = f"{boots}{_cost(pace, first, len(plan.runs))}; looked at after {at} per kernel"
    if planned[-1] < MINIMUM_BOOTS:
        return f"{said}; no verdict is possible below {MINIMUM_BOOTS} boots per kernel, this only screens"
    if len(plan.kernels) < 2:
        return f"{said}; one kernel is compared with nothing"
    level = threshold(len(planned)) / _questions(plan)
    shown = ", ".join(f"{detectable(cv, planned[-1], level):.1%} where boots scatter by {cv:.0%}" for cv in _USUAL_CV)
    needed = ", ".join(str(boots_needed(cv, e.margin, level)) for cv in _USUAL_CV)
    return f"{said}; shows a change of {shown}, in 4 of 5 sessions (one of {e.margin:.1%} takes {needed} boots)"


def _questions(plan: Plan) -> int:
    """Primary comparisons that share the level of a look."""
    groups = len({cell.setting_key for cell in plan.cells})
    return groups * (len(plan.kernels) - 1)


def _cost(pace: Pace | None, first: int, most: int) -> str:
    if pace is None:
        return " (each at least as long as the guest takes to boot)"
    return f" ({_minutes(first * pace.seconds)} to {_minutes(most * pace.seconds)} at {pace.seconds:.1f} s each)"


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
