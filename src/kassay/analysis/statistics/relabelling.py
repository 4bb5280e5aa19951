# SPDX-License-Identifier: GPL-2.0-only
"""Exact null distribution of a sum of weights when, in each block, any boots might have been head's.

Within a block that was made in random order, every choice of which boots are head's is equally likely
if the kernels do not differ. The sum of head's weights is then a sum of independent parts, one for each block,
and its distribution follows by counting: no draws, and no approximation up to sizes no session has.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, erfc, fsum, gcd, lcm, prod, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # loaded where it is needed: every command would wait for it
    import numpy as np

    Counts = np.ndarray[Any, Any]

EXACT_BELOW = 2**62
"""Relabellings that 64-bit integers can count; with more, doubles do, at a relative error of about 1e-13."""
MOST_WORK = 50_000_000
"""Additions; with more, p is approximated: above about 65 + 65 boots in one block, or 24 + 24 in blocks of four in 15
cells."""


class BlockWeights(NamedTuple):
    """Weights of one block's boots, as whole numbers, and those of them that head has."""

    weights: tuple[int, ...]
    heads: tuple[int, ...]


def deviation(blocks: Sequence[BlockWeights]) -> int:
    """Sum of head's weights minus what is expected of it under the null, times a positive whole number."""
    scale = _scale(blocks)
    return sum(scale * sum(b.heads) - scale // len(b.weights) * len(b.heads) * sum(b.weights) for b in blocks)


def two_sided_p(blocks: Sequence[BlockWeights]) -> float:
    """Share of relabellings whose sum lies as far from its expectation as the one observed, or farther.

    Beyond MOST_WORK: the normal distribution with the exact mean and variance and a correction for continuity, which
    at these sizes is within 3 % of the exact p (0.05 becomes 0.049 to 0.051).
    """
    free = [_reduced(block) for block in blocks if 0 < len(block.heads) < len(block.weights)]
    away = abs(deviation(free)) if free else 0
    if not away:
        return 1.0
    step = gcd(*(weight for block in free for weight in block.weights)) or 1
    scale = _scale(free) * step
    if _work(free, step) > MOST_WORK:
        return _normal_p(free, (away - scale / 2) / _scale(free))
    expected = sum(scale // step // len(b.weights) * len(b.heads) * sum(b.weights) for b in free)
    counts, total = _counts(tuple((tuple(sorted(w // step for w in b.weights)), len(b.heads)) for b in free))
    low, high = (expected - away) // scale, -((-expected - away) // scale)
    below, above = _sum(counts[: max(low + 1, 0)]), _sum(counts[high:])
    return (below + above) / total


def _work(blocks: Sequence[BlockWeights], step: int) -> int:
    length = sum(sum(sorted(b.weights)[len(b.weights) - len(b.heads) :]) // step for b in blocks)
    return length * sum(len(b.weights) * len(b.heads) for b in blocks)


def _normal_p(blocks: Sequence[BlockWeights], away: float) -> float:
    """Two-sided p of a sum that lies `away` from its expectation."""
    variance = 0.0
    for weights, heads in blocks:
        n, total = len(weights), sum(weights)
        squares = n * sum(weight * weight for weight in weights) - total * total
        variance += len(heads) * (n - len(heads)) * squares / (n * n * (n - 1))
    return erfc(away / sqrt(2 * variance))


def _sum(counts: Counts) -> float:
    """Sum that does not depend on the order in which a host adds."""
    return int(counts.sum()) if counts.dtype.kind == "i" else fsum(counts.tolist())


def _zeros(length: int, exact: bool) -> Counts:
    import numpy as np

    return np.zeros(length, dtype=np.int64 if exact else np.float64)


def _scale(blocks: Sequence[BlockWeights]) -> int:
    return lcm(*(len(block.weights) for block in blocks))


def _reduced(block: BlockWeights) -> BlockWeights:
    """Same block with its smallest weight at 0, which moves observed and expected sum alike."""
    least = min(block.weights)
    return BlockWeights(tuple(w - least for w in block.weights), tuple(w - least for w in block.heads))


@lru_cache(maxsize=64)
def _counts(blocks: tuple[tuple[tuple[int, ...], int], ...]) -> tuple[Counts, float]:
    """counts[s]: in how many relabellings head's weights add up to s, and the sum of counts. blocks: (weights, head's).

    Boot by boot: rows[k] counts the ways in which k boots of the block so far are head's. In doubles, each block is
    scaled down by a power of two, which loses nothing.
    """
    length = 1 + sum(sum(weights[len(weights) - heads :]) for weights, heads in blocks)
    ways = [comb(len(weights), heads) for weights, heads in blocks]
    scales = [2.0 ** -each.bit_length() for each in ways]
    exact = prod(ways) < EXACT_BELOW
    counts = _zeros(length, exact)
    counts[0] = 1
    used = 1
    for (weights, heads), scale in zip(blocks, scales, strict=True):
        last = used + sum(weights[len(weights) - heads :])
        rows = [counts, *(_zeros(length, exact) for _ in range(heads))]
        for index, weight in enumerate(weights):
            left = len(weights) - index - 1
            for k in range(min(heads, index + 1), max(0, heads - left - 1), -1):
                rows[k][weight:last] += rows[k - 1][: last - weight]
        counts, used = rows[heads], last
        if not exact:
            counts *= scale
    return counts, prod(ways) if exact else prod(each * scale for each, scale in zip(ways, scales, strict=True))
