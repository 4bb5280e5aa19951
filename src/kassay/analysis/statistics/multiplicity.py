# SPDX-License-Identifier: GPL-2.0-only
"""Many cells: one statement about all of them, then which of them stand.

Holm (1979) keeps the chance of any false change at alpha; Benjamini and Hochberg (1995) keep the expected share
of false ones among the changes named at alpha.

Libraries were tried and refused: multipletests() of statsmodels 0.15 gives the same answers, but takes a second and a
half to import and brings pandas, 150 MB in all. false_discovery_control() of scipy needs scipy.stats, which takes a
second, and scipy has no Holm.
"""

from collections.abc import Sequence
from typing import NamedTuple

from kassay.analysis.statistics.blocked import Boot, Comparison


class Pooled(NamedTuple):
    """One shift for all cells: two-sided p, logarithm of head / base, its interval (None as in blocked.interval)."""

    p: float
    estimate: float
    interval: tuple[float, float] | None


def holm(ps: Sequence[float], alpha: float) -> tuple[bool, ...]:
    """Rejected hypotheses, in the order given, by Holm: smallest p against alpha/n, the next against alpha/(n-1),
    ..."""
    rejected = [False] * len(ps)
    for rank, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[index] > alpha / (len(ps) - rank):
            break
        rejected[index] = True
    return tuple(rejected)


def benjamini_hochberg(ps: Sequence[float], alpha: float) -> tuple[bool, ...]:
    """Rejected hypotheses, in the order given: all p up to the largest that is at most alpha x its rank / n."""
    ordered = sorted(ps)
    passing = [p for rank, p in enumerate(ordered, 1) if p <= alpha * rank / len(ps)]
    return tuple(p <= passing[-1] if passing else False for p in ps)


def pooled(cells: Sequence[Sequence[Boot]], alpha: float = 0.05) -> Pooled:
    """The family of cells as one comparison: ranks within each cell, their sums added, one shift in common.

    Each boot must belong to one cell only: relabellings of different cells are taken to be independent.
    ValueError: no cell, or a cell that blocked.test() refuses.
    """
    if not cells:
        raise ValueError("a family needs at least one cell")
    together = Comparison(cells)
    return Pooled(together.p(0.0), together.estimate(), together.interval(alpha))
