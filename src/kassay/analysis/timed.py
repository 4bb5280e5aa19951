# SPDX-License-Identifier: GPL-2.0-only
"""Clocks that jitter -> estimate, interval, verdict, from one number per boot.

Estimate: Hodges and Lehmann's, the median of all log(head) - log(base). Interval: those shifts that
the Mann-Whitney test does not reject at 5 %, from the exact null distribution (Hodges and
Lehmann 1963; Lehmann, Nonparametrics, 1975). Below six boots a side no verdict is given.
"""

from functools import cache
from math import comb, exp, log
from statistics import median

from kassay.analysis.exact import Judgement, withheld
from kassay.model.finding import Side

MINIMUM_BOOTS = 6
ALPHA = 0.05


def judge_times(base: Side, head: Side, margin: float, clock: str) -> Judgement:
    """Verdict on two sides of timed runs; a boot is the unit, whatever its rounds."""
    if base.value is None or head.value is None:
        return withheld("incomplete", "one side has no successful run")
    if min((*base.runs, *head.runs)) <= 0:
        return withheld("inconclusive", "a time of zero: the phase is shorter than this clock's tick")
    shifts = sorted(log(h) - log(b) for h in head.runs for b in base.runs)
    change = exp(median(shifts)) - 1
    fewest = min(len(base.runs), len(head.runs))
    if fewest < MINIMUM_BOOTS:
        reason = f"screening only: {fewest} boots on a side, a verdict on time needs {MINIMUM_BOOTS}"
        return Judgement(change=change, interval=None, verdict="inconclusive", evidence="partial", reasons=(reason,))
    skip = rank_limit(len(base.runs), len(head.runs))
    interval = (exp(shifts[skip]) - 1, exp(shifts[-1 - skip]) - 1)
    verdict, reasons = _verdict(interval, margin)
    missing = base.failed + head.failed + base.unmade + head.unmade
    if missing:
        reasons = (*reasons, f"{missing} planned run(s) failed or were not made yet")
    doubts = tuple(f"{side.kernel}: {doubt}" for side in (base, head) for doubt in side.doubts)
    reasons = (*reasons, *doubts)
    weak = clock == "tcg" or missing or doubts or verdict == "inconclusive"
    return Judgement(change=change, interval=interval, verdict=verdict, evidence="partial" if weak else "reliable",
                     reasons=reasons)  # fmt: skip


def rank_limit(m: int, n: int) -> int:
    """How many of the m*n ordered shifts lie outside the interval on each side: the largest k with
    P(U <= k - 1) <= ALPHA / 2 under the null."""
    total, below = comb(m + n, m), 0
    for u in range(m * n + 1):
        below += _orders(m, n, u)
        if below > total * ALPHA / 2:
            return u
    return 0


@cache
def _orders(m: int, n: int, u: int) -> int:
    """In how many orders of m and n values the Mann-Whitney statistic is u."""
    if u < 0 or m < 0 or n < 0:
        return 0
    if m == 0 or n == 0:
        return int(u == 0)
    return _orders(m - 1, n, u - n) + _orders(m, n - 1, u)


def _verdict(interval: tuple[float, float], margin: float) -> tuple[str, tuple[str, ...]]:
    low, high = interval
    if -margin <= low and high <= margin:
        return "equivalent", ()
    if low > 0 and high > margin:
        return "regression", _weak(low, margin)
    if high < 0 and low < -margin:
        return "improvement", _weak(-high, margin)
    return "inconclusive", (f"the 95 % interval {low:+.1%} to {high:+.1%} allows both a change and none",)


def _weak(nearest: float, margin: float) -> tuple[str, ...]:
    return () if nearest > margin else (f"the change may be as small as {nearest:.1%}, inside the margin",)
