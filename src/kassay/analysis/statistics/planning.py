# SPDX-License-Identifier: GPL-2.0-only
"""Before the first boot: what can be found with so many, when one may look, and how coarse the clock is."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, exp, log1p, pi, sqrt
from statistics import NormalDist

FEWEST = 6
"""Boots per kernel below which nothing is judged."""
POWER = 0.80
THRESHOLDS = (0.05, 0.029, 0.022, 0.018, 0.016)
FINEST_PART = 8
LEAST_DISTINCT = 6
OFF_GRID = 0.05


def boots_needed(cv: float, effect: float, alpha: float = 0.05) -> int:
    """Boots per kernel that find head = base x (1 + effect) in 80 % of cases at one look. cv: of one boot, relative.

    Two-sample z test at two-sided alpha, times pi/3 for the rank test: 16.4 (cv / ln(1 + effect))^2 at 5 %.
    ValueError: an effect of 0 or of -1 and below.
    """
    if effect <= -1 or effect == 0:
        raise ValueError("an effect must be above -1 and not 0")
    return max(FEWEST, ceil(_factor(alpha) * (cv / log1p(effect)) ** 2))


def detectable(cv: float, boots: int, alpha: float = 0.05) -> float:
    """Smallest growth, relative, that so many boots per kernel find in 80 % of cases; the inverse of boots_needed()."""
    return exp(cv * sqrt(_factor(alpha) / boots)) - 1


def threshold(looks: int) -> float:
    """p at or below which each of 1 to 5 looks may claim a change, so that all looks together err in 5 % of sessions.

    Pocock (1977), for equally spaced looks; measured for the looks that are taken in benchmarks/error_rates.py.
    """
    if not 1 <= looks <= len(THRESHOLDS):
        raise ValueError(f"1 to {len(THRESHOLDS)} looks have a threshold, not {looks}")
    return THRESHOLDS[looks - 1]


def tick(values: Sequence[float]) -> float | None:
    """Step of the clock that the values were read from, in their unit; None when no step shows.

    Candidates are the smallest gap between two different values and its halves to eighths; the largest is the tick
    on whose grid (through the smallest value) every value lies to 5 % of the step. Continuous values pass by chance
    in less than 1 of 1000 cases with 6 different values; with fewer, most values must be
    repetitions of each other. A clock of nanoseconds shows a step of 1 ns or, with few values, none.
    """
    distinct = sorted(set(values))
    if len(distinct) < 2 or (len(distinct) < LEAST_DISTINCT and len(values) < 2 * len(distinct)):
        return None
    noise = 1e-12 * max(abs(distinct[0]), abs(distinct[-1]))
    gaps = [after - before for before, after in pairwise(distinct) if after - before > noise]
    if not gaps:
        return None
    steps = (min(gaps) / part for part in range(1, FINEST_PART + 1))
    return next((step for step in steps if _on_grid(distinct, step)), None)


def _on_grid(values: Sequence[float], step: float) -> bool:
    multiples = [(value - values[0]) / step for value in values]
    return all(abs(multiple - round(multiple)) <= OFF_GRID for multiple in multiples)


def _factor(alpha: float) -> float:
    normal = NormalDist()
    return 2 * (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(POWER)) ** 2 * pi / 3
