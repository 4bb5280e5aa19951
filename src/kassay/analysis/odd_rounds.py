# SPDX-License-Identifier: GPL-2.0-only
"""Exact counts whose value says something else than the mean of the rounds does.

A change that makes every third round dearer leaves the most frequent count, or the median, as it was.
"""

from collections.abc import Sequence
from statistics import fmean, median

from kassay.analysis.exact import Judgement
from kassay.analysis.rounds import KINDS_TOLERANCE, Method, costs, phase_rounds, warmup_rounds
from kassay.model.finding import CHANGES
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence
from kassay.model.units import format_change

_FEW = 3
"""Steady rounds of which the dearest is not left out."""


def odd_rounds(
    base: CellEvidence, head: CellEvidence, phase: str, by: Method, judged: Judgement, margin: float
) -> Reason | None:
    """The doubt; None where there is none, or where the value is a mean.

    The means of all runs of a kernel are compared with those of the other kernel's, perturbed runs among them: what
    falls into a round by chance falls into other rounds there.
    """
    if by == "mean" or judged.change is None or judged.verdict not in (*CHANGES, "equivalent"):
        return None
    sides = [
        [_mean(costs(phase_rounds(m, phase))) for m in side.measurements if not m.control] for side in (base, head)
    ]
    if not all(map(min, sides)):
        return None
    low, high = min(sides[1]) / max(sides[0]) - 1, max(sides[1]) / min(sides[0]) - 1
    if low - margin <= judged.change <= high + margin:
        return None
    several, one = (reason("rounds-otherwise", change=judged.change, low=low, high=to) for to in (high, None))
    alike = format_change(low) == format_change(high)
    return one if alike and hides_change(one, judged, margin) == hides_change(several, judged, margin) else several


def hides_change(why: Reason, judged: Judgement, margin: float) -> bool:
    """True if the means of the rounds do not allow the verdict."""
    low, high = why["low"], why["low"] if why["high"] is None else why["high"]
    if not isinstance(low, float) or not isinstance(high, float):
        return True
    if judged.verdict == "equivalent":
        return low > margin or high < -margin
    return high <= margin if judged.verdict == "regression" else low >= -margin


def _mean(ticks: Sequence[float]) -> float:
    """The mean of the steady rounds. The dearest, in which the timer may have ticked, is left out only if it alone is
    dear."""
    *others, dearest = sorted(ticks[warmup_rounds(ticks) :])
    alone = len(others) >= _FEW and others[-1] <= (1 + KINDS_TOLERANCE) * median(others)
    return fmean(others if alone else (*others, dearest))
