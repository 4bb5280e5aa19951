# SPDX-License-Identifier: GPL-2.0-only
"""A share of a difference, (new - candidate) / (new - old), with an interval: of exact counts, and of boots in blocks.

The share is a ratio of two differences, so no interval comes from the two changes' own intervals. Of exact counts it is
monotone in each of its three values, so its extremes lie where each value is at an end of its range. Of times, a share
s is excluded when (new - candidate) - s (new - old), taken block by block, is not symmetric about 0 by the signed ranks
of Wilcoxon: drift from block to block cancels in such differences, no distribution is assumed but that kernels
jitter alike, and a gap that is not clear gives no interval instead of a wrong one (E. C. Fieller's argument, on ranks).
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from kassay.model.reason import Reason, reason
from kassay.model.records import Record

if TYPE_CHECKING:  # numpy takes longer to load than an answer from counts, which needs none
    import numpy as np
    from numpy.typing import NDArray

    _Floats = NDArray[np.float64]
_FEWEST = 5


class GapShare(Record, frozen=True, kw_only=True):
    """Share of a gap that a candidate closes. share and interval are None if the evidence allows none."""

    share: float | None
    interval: tuple[float, float] | None
    level: float | None = None
    """Level of the interval; None for ranges."""
    blocks: int = 0
    """Number of blocks that were used."""
    reason: Reason | None = None
    """Reason why there is no share or no interval."""


def of_counts(old: Sequence[float], new: Sequence[float], candidate: Sequence[float]) -> GapShare:
    """Share of the gap from all counts of each kernel, the plain run's first."""
    corners = list(product(*((min(side), max(side)) for side in (old, new, candidate))))
    gaps = [n - o for o, n, _ in corners]
    if min(gaps) <= 0 <= max(gaps):
        return GapShare(share=None, interval=None, reason=reason("gap-overlaps"))
    shares = [(n - c) / (n - o) for o, n, c in corners]
    return GapShare(share=(new[0] - candidate[0]) / (new[0] - old[0]), interval=(min(shares), max(shares)))


def of_times(old: Sequence[float], new: Sequence[float], candidate: Sequence[float], level: float) -> GapShare:
    """Share of the gap from one value per block and kernel, blocks in the same order."""
    import numpy as np

    blocks = len(old)
    if blocks < _FEWEST:
        return GapShare(share=None, interval=None, blocks=blocks, reason=reason("few-common-blocks", blocks=blocks))
    taken = np.asarray(new, dtype=float) - np.asarray(candidate, dtype=float)
    whole = np.asarray(new, dtype=float) - np.asarray(old, dtype=float)
    upper = np.triu_indices(blocks)
    a, b = (taken[upper[0]] + taken[upper[1]]), (whole[upper[0]] + whole[upper[1]])
    critical, reached = _critical(blocks, level)
    edges = np.unique(a[b != 0] / b[b != 0])
    probes = np.concatenate(([edges[0] - 1], (edges[1:] + edges[:-1]) / 2, [edges[-1] + 1])) if len(edges) else edges
    above = _above(a, b, probes)
    accepted = (critical < above) & (above < len(a) - critical)  # sums of pairs above 0 are Wilcoxon's statistic
    if not len(edges) or accepted[0] or accepted[-1]:
        return GapShare(share=None, interval=None, blocks=blocks, reason=reason("gap-not-clear"))
    inside = [i for i, is_accepted in enumerate(accepted) if is_accepted]
    middle = _middle(above, len(a), edges)
    low, high = (edges[inside[0] - 1], edges[inside[-1]]) if inside else (middle, middle)
    return GapShare(
        share=middle, interval=(float(min(low, middle)), float(max(high, middle))), level=reached, blocks=blocks
    )


def _above(a: "_Floats", b: "_Floats", shares: "_Floats") -> "_Floats":
    """Number of sums of pairs that are above 0 under each share. One that is 0 counts half."""
    import numpy as np

    sums = a[None, :] - shares[:, None] * b[None, :]
    return np.asarray((sums > 0).sum(axis=1) + (sums == 0).sum(axis=1) / 2, dtype=float)


def _middle(above: "_Floats", pairs: int, edges: "_Floats") -> float:
    """The share at which the statistic is at its expectation, after Hodges and Lehmann."""
    import numpy as np

    distance = np.abs(above[1:-1] - pairs / 2)
    if not len(distance):
        return float(edges[0])
    nearest = np.flatnonzero(distance == distance.min())
    return float((edges[nearest[0]] + edges[nearest[-1] + 1]) / 2)


@cache
def _critical(blocks: int, level: float) -> tuple[int, float]:
    """The largest statistic that is excluded on either side at `level`, and the level that this really gives. -1,
    and the whole range, where so few blocks exclude nothing at that level."""
    import numpy as np

    counts = np.zeros(blocks * (blocks + 1) // 2 + 1)
    counts[0] = 1
    for rank in range(1, blocks + 1):
        counts[rank:] += counts[:-rank].copy()
    tail = np.cumsum(counts) / 2.0**blocks
    allowed = np.flatnonzero(2 * tail <= 1 - level + 1e-12)
    critical = int(allowed[-1]) if len(allowed) else 0  # the extremes are excluded in any case, and the level says so
    return critical, float(1 - 2 * tail[critical])
