# SPDX-License-Identifier: GPL-2.0-only
"""Changes in a series of values: optimal partition for times, a fence for exact counts. No I/O.

Times: Killick, Fearnhead and Eckley's PELT (2012) on log values, with a robust noise level, outliers pulled in, and a
penalty that grows with length and with the correlation of neighbours; docs/reference/history.md has its error rates.
Counts have no noise; what neighbours usually differ by is the measure.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MINIMUM_SEGMENT = 3
FENCE_NEEDS = 10
_NEIGHBOURS = 30
_WINDOW = 9
_CONSISTENT = 1.4826  # median absolute deviation -> standard deviation of a normal distribution
_MOST_CORRELATED = 0.9
_ROUNDING = 1e-9
"""Deviation of logarithms that are equal but for rounding, far above what a mean is off by. It has no correlation."""


def change_points(values: Sequence[float]) -> tuple[int, ...]:
    """Indexes at which a new segment begins, for positive values with noise; needs at least 6 of them to find any.

    Raises ValueError for a value that is not positive.
    """
    if len(values) < 2 * MINIMUM_SEGMENT:
        return ()
    if min(values) <= 0:
        raise ValueError("a value that is not positive has no logarithm")
    logs = np.log(np.asarray(values, dtype=np.float64))
    sigma = noise(logs)
    if sigma == 0:
        return ()
    calm = winsorised(logs, sigma)
    first = _partition(calm, _penalty(sigma, len(calm), 0.0))
    phi = min(_MOST_CORRELATED, max(_correlation(calm, first), _correlation_of_steps(calm, first, sigma)))
    return _partition(calm, _penalty(sigma, len(calm), phi)) if phi > 0 else first


def noise(logs: Array) -> float:
    """Standard deviation without the steps: from first differences, and no less than what the last digit leaves open.

    A series in coarse units (25, 25, 25, 37, 37) has differences of 0 nearly everywhere; its unit is then the measure.
    From few differences the deviation is too often too small; so it is enlarged a little in short series.
    """
    steps = np.diff(logs)
    spread = _CONSISTENT * float(np.median(np.abs(steps - np.median(steps)))) / 2**0.5 * (1 + 1.5 / len(steps))
    gaps = np.diff(np.unique(logs))
    tick = float(gaps.min()) if len(gaps) else 0.0
    return max(spread, tick / 12**0.5)


def winsorised(logs: Array, sigma: float) -> Array:
    """Values further than 3 sigma from the running median of 9 are set to that limit: single outliers do not count."""
    half = _WINDOW // 2
    padded = np.concatenate((logs[:half][::-1], logs, logs[-half:][::-1]))
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, _WINDOW), axis=1)
    return np.clip(logs, middle - 3 * sigma, middle + 3 * sigma)


def _penalty(sigma: float, length: int, phi: float) -> float:
    return float(sigma**2 * (6.8 + 0.7 * log(length)) * (1 + phi) / (1 - phi))


def _correlation(logs: Array, starts: Sequence[int]) -> float:
    """Lag-1 correlation of what is left when each segment's mean is taken away."""
    rest = logs.copy()
    for begin, end in pairwise((0, *starts, len(logs))):
        rest[begin:end] -= rest[begin:end].mean()
    total = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / total if total > len(logs) * _ROUNDING**2 else 0.0


def _correlation_of_steps(logs: Array, starts: Sequence[int], sigma: float) -> float:
    """The same from first differences inside the segments, whose own lag-1 correlation is (phi - 1) / 2: a first cut
    that took a slow drift for steps has removed it from what _correlation() sees. Minus what chance alone gives."""
    products = total = 0.0
    for begin, end in pairwise((0, *starts, len(logs))):
        steps = np.clip(np.diff(logs[begin:end]), -3 * 2**0.5 * sigma, 3 * 2**0.5 * sigma)
        products += float(steps[1:] @ steps[:-1])
        total += float(steps @ steps) * (len(steps) - 1) / len(steps)
    return 1 + 2 * products / total - len(logs) ** -0.5 if total else 0.0


def _partition(values: Array, penalty: float) -> tuple[int, ...]:
    """The cheapest cut into segments of at least 3: squared deviations, and the penalty for each cut; exact."""
    length = len(values)
    sums = np.concatenate(([0.0], np.cumsum(values - values.mean())))
    squares = np.concatenate(([0.0], np.cumsum((values - values.mean()) ** 2)))
    best = np.full(length + 1, np.inf)
    best[0] = -penalty
    cut = np.zeros(length + 1, dtype=np.int64)
    open_ = np.zeros(1, dtype=np.int64)
    closes = np.full(length + 1, length + 1, dtype=np.int64)
    for end in range(MINIMUM_SEGMENT, length + 1):
        inside = squares[end] - squares[open_] - (sums[end] - sums[open_]) ** 2 / (end - open_)
        costs = best[open_] + inside
        chosen = int(np.argmin(costs))
        best[end], cut[end] = costs[chosen] + penalty, open_[chosen]
        # A start that costs more than the best one even without a further penalty is worse than a cut here, as soon
        # as the segment after this cut is long enough.
        beaten = open_[costs > best[end]]
        closes[beaten] = np.minimum(closes[beaten], end + MINIMUM_SEGMENT)
        open_ = open_[closes[open_] > end + 1]
        begun = end + 1 - MINIMUM_SEGMENT
        if begun >= MINIMUM_SEGMENT:
            open_ = np.append(open_, begun)
    starts = []
    end = length
    while (end := int(cut[end])) > 0:
        starts.append(end)
    return tuple(reversed(starts))


def fence(changes: Sequence[float]) -> float:
    """Largest usual change between neighbours of exact counts, by their sizes: the third quartile of the last 30 and
    three times their interquartile range (as rustc-perf does), 0.2 % when there are fewer than FENCE_NEEDS."""
    if len(changes) < FENCE_NEEDS:
        return 0.002
    low, high = np.percentile(changes[-_NEIGHBOURS:], (25, 75))
    return float(high + 3 * (high - low))


def exact_changes(values: Sequence[float], floors: Sequence[float | None]) -> tuple[tuple[int, float], ...]:
    """(index at which a new level begins, limit that was exceeded) of exact counts, which are positive.

    floors: how far runs of each kernel lie apart that should not, relative. A level ends when a point differs from its
    neighbour or from the first point of the level by more than 0.1 %, twice the larger floor, and the fence. The new
    level begins at the largest step between the two, in their direction: so many small steps are found, too. The fence
    is made from the changes before that ended no level, as a true change is not a usual one.
    """
    found: list[tuple[int, float]] = []
    usual: list[float] = []
    level = 0
    for index in range(1, len(values)):
        usual_limit = max(0.001, fence(usual))
        for other in (index - 1, level):
            limit = max(usual_limit, 2 * max(floors[other] or 0.0, floors[index] or 0.0))
            if abs(values[index] / values[other] - 1) > limit:
                level = _largest_step(values, other, index)
                found.append((level, limit))
                break
        else:
            usual.append(abs(values[index] / values[index - 1] - 1))
    return tuple(found)


def _largest_step(values: Sequence[float], first: int, last: int) -> int:
    """Index after the largest step from `first` to `last`, in the direction of their difference."""
    up = values[last] - values[first]
    return max(range(first + 1, last + 1), key=lambda index: (values[index] - values[index - 1]) * up)
