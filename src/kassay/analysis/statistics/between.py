# SPDX-License-Identifier: GPL-2.0-only
"""Do hosts differ in a change by more than boots of one host do?

Each host has its own blocks, ranks and levels (blocked.py); what they may have in common is the change. At a shift
that all hosts share, each host's rank sum lies about its expectation, with the variance that relabelling inside its
blocks gives. The squares of these distances, in units of their variance, are added up at the shift that makes the sum
smallest; without a difference between H hosts the sum follows the chi-square distribution with H - 1 degrees of freedom
(minimum chi-square: Neyman 1949). How far the hosts themselves scatter, beyond their boots, is the estimate of
DerSimonian and Laird (1986), from each host's change and its interval.
"""

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from kassay.analysis.statistics.blocked import Boot, Comparison
from kassay.analysis.statistics.relabelling import BlockWeights

_STEPS = 64
_NORMAL_95 = 1.959964
_FEWEST = 1e-12


class Between(NamedTuple):
    """Test of whether all hosts measured the same change."""

    p: float
    """The p-value of the hypothesis that all hosts have one change."""
    common: float
    """The one change that fits all hosts best, as the logarithm of head / base."""
    scatter: float | None
    """Standard deviation of the hosts' own changes beyond what their boots explain, a logarithm. None if a host has too
    few boots for an interval."""


def between(hosts: Sequence[Sequence[Boot]]) -> Between:
    """hosts: the boots of each, two hosts at least. ValueError: fewer, or a host that blocked.test() refuses."""
    if len(hosts) < 2:
        raise ValueError("two hosts at least")
    comparisons = [Comparison((boots,)) for boots in hosts]
    shifts = [comparison.estimate() for comparison in comparisons]
    common, distance = _closest(comparisons, min(shifts), max(shifts))
    from scipy.special import chdtrc  # half a second to import

    p = float(chdtrc(len(hosts) - 1, distance))
    return Between(round(p, 12), round(common, 9), _scatter(comparisons, shifts))


def _closest(comparisons: Sequence[Comparison], low: float, high: float) -> tuple[float, float]:
    """The shift at which the hosts' distances are smallest together, and their sum there: on a grid, then on a finer
    one about its best point, as the sum has steps."""
    closest = (low, _distance(comparisons, low))
    for _ in range(2):
        step = (high - low) / _STEPS
        points = [low + step * number for number in range(_STEPS + 1)]
        sums = [(_distance(comparisons, point), point) for point in points]
        best, at = min(sums)
        closest = min((closest, (at, best)), key=lambda pair: pair[1])
        low, high = closest[0] - step, closest[0] + step
    return closest


def _distance(comparisons: Sequence[Comparison], shift: float) -> float:
    return fsum(_squared(comparison.blocks(shift)) for comparison in comparisons)


def _squared(blocks: Sequence[BlockWeights]) -> float:
    """Distance of head's rank sum from its expectation, squared, over its variance; 0 where ranks cannot vary."""
    away = variance = 0.0
    for weights, heads in blocks:
        n, k, total = len(weights), len(heads), sum(weights)
        away += sum(heads) - k * total / n
        if n > 1:
            variance += k * (n - k) * (n * sum(w * w for w in weights) - total * total) / (n * n * (n - 1))
    return away * away / variance if variance > 0 else 0.0


def _scatter(comparisons: Sequence[Comparison], shifts: Sequence[float]) -> float | None:
    errors = []
    for comparison in comparisons:
        if (limits := comparison.interval(0.05)) is None:
            return None
        errors.append(max((limits[1] - limits[0]) / 2 / _NORMAL_95, _FEWEST))
    weights = [1 / error**2 for error in errors]
    total = sum(weights)
    mean = fsum(w * shift for w, shift in zip(weights, shifts, strict=True)) / total
    spread = fsum(w * (shift - mean) ** 2 for w, shift in zip(weights, shifts, strict=True))
    beyond = (spread - (len(comparisons) - 1)) / (total - sum(w * w for w in weights) / total)
    return round(sqrt(max(0.0, beyond)), 9)
