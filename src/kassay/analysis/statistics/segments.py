# SPDX-License-Identifier: GPL-2.0-only
"""A ladder judged jointly: between which neighbouring kernels does the level change?

Kernels stand in order. For each split of them into earlier and later ones the rank sum of the later is compared with
its expectation; the largest standardised distance over all splits is the statistic, and exchanging boots inside their
blocks its null distribution. A significant split is made, and each part is judged again by itself
with its share of the level, so that wrong boundaries stay at alpha even when there are true ones.
"""

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from kassay.analysis.statistics.blocked import doubled_ranks, residuals

if TYPE_CHECKING:  # numpy takes longer to load than an answer from counts, which needs none
    import numpy as np

    Matrix = np.ndarray[Any, Any]

DRAWS = 9999
SEED = 20_260_501


class LadderBoot(NamedTuple):
    """One boot of a kernel of the ladder."""

    block: int
    """Number of the block, as in blocked.Boot."""
    kernel: int
    """Index of the kernel in the ladder."""
    value: float


class Boundary(NamedTuple):
    """A change of level just before one kernel of the ladder."""

    at: int
    """Index of the first kernel at the new level, as in LadderBoot."""
    p: float
    """Result of the test on the part of the ladder that is split here."""
    level: float
    """Threshold that p was compared with, a share of alpha."""


def boundaries(boots: Sequence[LadderBoot], alpha: float = 0.05, draws: int = DRAWS) -> tuple[Boundary, ...]:
    """All boundaries of the ladder, in its order. Any number of boots per kernel and block; failed ones are left out.

    p = (1 + draws as extreme) / (1 + draws), from one fixed stream of random numbers: same answer on every host.
    ValueError: a value not above zero.
    """
    if any(not 0 < boot.value < float("inf") for boot in boots):
        raise ValueError("every value must be above zero and finite")
    return tuple(sorted(_split(boots, alpha, draws)))


def _split(boots: Sequence[LadderBoot], level: float, draws: int) -> list[Boundary]:
    kernels = sorted({boot.kernel for boot in boots})
    if len(kernels) < 2:
        return []
    at, p = _best(boots, kernels[1:], draws)
    if p > level:
        return []
    parts = [boot for boot in boots if boot.kernel < at], [boot for boot in boots if boot.kernel >= at]
    splits = [len({boot.kernel for boot in part}) - 1 for part in parts]
    found = [Boundary(at, p, level)]
    for part, count in zip(parts, splits, strict=True):
        found += _split(part, level * count / max(1, sum(splits)), draws)
    return found


def _best(boots: Sequence[LadderBoot], cuts: Sequence[int], draws: int) -> tuple[int, float]:
    """The cut with the most extreme rank sum, and the p of that extreme among all cuts."""
    import numpy as np

    numbers = sorted({boot.block for boot in boots})
    members = [[boot for boot in boots if boot.block == number] for number in numbers]
    levels = residuals([[log(boot.value) for boot in block] for block in members])
    ranks = doubled_ranks([r for block in levels for r in block])
    source = np.random.PCG64(SEED)
    sums, expected, variance = (
        np.zeros((draws + 1, len(cuts)), dtype=np.int64),
        np.zeros(len(cuts)),
        np.zeros(len(cuts)),
    )
    for block, level in zip(members, levels, strict=True):
        weights = np.array([ranks[r] for r in level], dtype=np.int64)
        later = np.array([[boot.kernel >= cut for cut in cuts] for boot in block], dtype=np.int64)
        sums += _relabelled(weights, draws, source) @ later
        share = later.sum(axis=0) / len(block)
        expected += weights.sum() * share
        if len(block) > 1:
            spread = ((weights - weights.mean()) ** 2).sum() / (len(block) - 1)
            variance += len(block) * share * (1 - share) * spread
    return _extreme(sums, expected, variance, cuts)


def _relabelled(weights: "Matrix", draws: int, source: "np.random.PCG64") -> "Matrix":
    """Row 0: the weights as observed; every other row: in another random order."""
    import numpy as np

    keys = source.random_raw(draws * len(weights)).reshape(draws, len(weights))
    return np.vstack([weights, weights[np.argsort(keys, axis=1, kind="stable")]])


def _extreme(sums: "Matrix", expected: "Matrix", variance: "Matrix", cuts: Sequence[int]) -> tuple[int, float]:
    import numpy as np

    spread = np.sqrt(np.where(variance > 0, variance, np.inf))
    away = np.round(np.abs(sums - expected) / spread, 9)
    largest = away.max(axis=1)
    p = float((largest >= largest[0]).mean())
    return cuts[int(away[0].argmax())], p
