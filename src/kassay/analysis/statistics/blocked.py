# SPDX-License-Identifier: GPL-2.0-only
"""Block-restricted rank test of two kernels' boots: exact under drift, outliers and failed boots.

Boots of one block were made one after the other in random order, so under the null nothing but chance says which are
head's. From each logarithm the median of its own and the two neighbouring blocks is taken, which removes drift
without looking at labels; the residuals are ranked; the sum of head's ranks is compared with all relabellings
inside the blocks (relabelling.py). With one block of everything this is the Mann-Whitney test. Estimate and interval
are the shifts at which the statistic is centred and at which the test does not reject (Hodges and Lehmann 1963).
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress
from math import log, sqrt
from statistics import median
from typing import NamedTuple

from kassay.analysis.statistics.relabelling import BlockWeights, deviation, two_sided_p
from kassay.model.records import grouped

DIGITS = 9
UNIT = 1e-9
"""Residuals closer than 1e-9 are ties: far below any clock, far above what two hosts' logarithms differ by."""
PRECISION = 1e-4
PROBES = 16


class Boot(NamedTuple):
    """One boot's value."""

    block: int
    """Number of the block: boots made one after the other in random order."""
    head: bool
    """True for a boot of head."""
    value: float
    """Value in any unit, above zero."""
    host: str = ""
    """Host that made it. Boots of two hosts are never ranked together."""


def test(boots: Sequence[Boot], shift: float = 0.0) -> float:
    """Two-sided p of "head is base times exp(shift)". ValueError: a value not above zero, or no block with both."""
    return two_sided_p(Comparison((boots,)).blocks(shift))


def estimate(boots: Sequence[Boot]) -> float:
    """Logarithm of head / base: the shift at which head's ranks are as expected. ValueError as of test().

    Not the median of all differences of residuals: in windows with more boots of one kernel than of the other, a
    large effect would move the window's median and so the residuals. Shifted back first, both kernels are alike.
    """
    return Comparison((boots,)).estimate()


def interval(boots: Sequence[Boot], alpha: float) -> tuple[float, float] | None:
    """Logarithms of head / base that the test does not reject at alpha, from lowest to highest.

    None when boots are too few to reject anything at alpha. Ends are precise to 1e-4 of the width.
    """
    return Comparison((boots,)).interval(alpha)


def smallest_p(boots: Sequence[Boot]) -> float:
    """The p of these boots if head and base lay as far apart as can be, on the worse of both sides."""
    return Comparison((boots,)).smallest_p()


class Comparison:
    """One or several cells that share one shift; ranks stay within each cell, and within each host."""

    def __init__(self, cells: Sequence[Sequence[Boot]]) -> None:
        self._cells = tuple(_Cell(boots) for cell in cells for boots in of_hosts(cell))
        largest = max(cell.size for cell in self._cells)
        self._weights = tuple(round((largest + 1) / (cell.size + 1)) for cell in self._cells)

    def blocks(self, shift: float) -> list[BlockWeights]:
        """Ranks by block once head is shifted back. Ranks of small cells count more, as theirs are smaller numbers."""
        weights = []
        for cell, weight in zip(self._cells, self._weights, strict=True):
            weights += cell.blocks(shift, weight)
        return weights

    def p(self, shift: float) -> float:
        return two_sided_p(self.blocks(shift))

    def estimate(self) -> float:
        """Middle of the shifts at which the statistic is neither above nor below its expectation."""
        low, high = self._reach()
        away = cache(lambda shift: deviation(self.blocks(shift)))  # both edges are looked for at the same shifts
        last_above = _edge(lambda shift: away(shift) > 0, low, high)
        first_below = _edge(lambda shift: away(shift) >= 0, low, high)
        return round((last_above + first_below) / 2, DIGITS)

    def interval(self, alpha: float) -> tuple[float, float] | None:
        if self.smallest_p() > alpha:
            return None
        middle = self.estimate()
        start = max(UNIT, *(cell.scatter() for cell in self._cells))
        low, high = self._reach()
        return (
            round(self._last_accepted(alpha, middle, -start, middle - low), DIGITS),
            round(self._last_accepted(alpha, middle, start, high - middle), DIGITS),
        )

    def smallest_p(self) -> float:
        return max(self.p(end) for end in self._reach())

    def _reach(self) -> tuple[float, float]:
        """Shifts so far out that every head lies on one side of every base, and no median changes its kernel."""
        ends = [cell.reach() for cell in self._cells]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _last_accepted(self, alpha: float, middle: float, step: float, most: float) -> float:
        """Outermost shift from middle, in the direction of step, that the test accepts; most: where it cannot.

        p does not fall smoothly: once a rejected shift is found, PROBES more up to twice as far are tried, and the
        shift 0, so that an interval without zero never comes with a p above alpha.
        """
        sign = 1.0 if step > 0 else -1.0

        def accepted(distance: float) -> bool:
            return distance < most and self.p(middle + sign * distance) > alpha

        inner, outer = 0.0, min(abs(step), most)
        while True:
            while accepted(outer):
                inner, outer = outer, 2 * outer
            probe = outer / PROBES
            farther = [outer + number * probe for number in range(1, PROBES + 1)]
            farther += [-sign * middle] if -sign * middle > outer else []
            inner = next((distance for distance in sorted(farther, reverse=True) if accepted(distance)), inner)
            if inner < outer:
                break
            outer = inner + probe
        while outer - inner > PRECISION * outer:
            half = (inner + outer) / 2
            inner, outer = (half, outer) if accepted(half) else (inner, half)
        return middle + sign * outer


def of_hosts(boots: Sequence[Boot]) -> list[list[Boot]]:
    """The boots of each host that has boots of both kernels in a block; all boots together where no host has.

    The boots of other hosts say nothing about the difference.
    """
    by_host = grouped((boot.host, boot) for boot in boots)
    if len(by_host) < 2:
        return [list(boots)]
    telling = [group for group in by_host.values() if any(len(heads) == 2 for heads in _heads(group).values())]
    return telling or [list(boots)]


def _heads(boots: Sequence[Boot]) -> dict[int, set[bool]]:
    """Sides that have boots in each block, by block: True is head."""
    heads: dict[int, set[bool]] = {}
    for boot in boots:
        heads.setdefault(boot.block, set()).add(boot.head)
    return heads


class _Cell:
    """Boots of one cell, as logarithms in order of their blocks."""

    def __init__(self, boots: Sequence[Boot]) -> None:
        if any(not 0 < boot.value < float("inf") for boot in boots):
            raise ValueError("every value must be above zero and finite")
        numbers = sorted({boot.block for boot in boots})
        self._members = [[boot for boot in boots if boot.block == number] for number in numbers]
        if not any(len({boot.head for boot in members}) == 2 for members in self._members):
            raise ValueError("no block has boots of both kernels")
        self._logs = [[(log(boot.value), boot.head) for boot in members] for members in self._members]
        self._heads = [[boot.head for boot in members] for members in self._members]
        self.size = len(boots)

    def reach(self) -> tuple[float, float]:
        base = [z for members in self._logs for z, is_head in members if not is_head]
        head = [z for members in self._logs for z, is_head in members if is_head]
        beyond = 2 * (max(*base, *head) - min(*base, *head)) + 1e-3
        return min(head) - max(base) - beyond, max(head) - min(base) + beyond

    def scatter(self) -> float:
        """About one standard error of the difference: where to start looking for the ends of the interval."""
        away = [abs(residual) for members in self._residuals(0.0) for residual in members]
        return 3 * median(away) * UNIT / sqrt(len(away))

    def blocks(self, shift: float, weight: int) -> list[BlockWeights]:
        """Doubled mid-ranks of the residuals, times weight."""
        residuals = self._residuals(shift)
        ranks = doubled_ranks([residual for members in residuals for residual in members])
        weights = [tuple([weight * ranks[residual] for residual in members]) for members in residuals]
        return [
            BlockWeights(each, tuple(compress(each, heads))) for each, heads in zip(weights, self._heads, strict=True)
        ]

    def _residuals(self, shift: float) -> list[list[int]]:
        return residuals([[z - shift if is_head else z for z, is_head in members] for members in self._logs])


def residuals(logs: Sequence[Sequence[float]]) -> list[list[int]]:
    """Logarithms by block, in order -> minus the median of their own and both neighbouring blocks, in units of 1e-9."""
    rows = []
    for index, members in enumerate(logs):
        middle = median([z for near in logs[max(0, index - 1) : index + 2] for z in near])
        rows.append([round((z - middle) / UNIT) for z in members])
    return rows


def doubled_ranks(values: Sequence[int]) -> dict[int, int]:
    """Value -> first plus last rank of those equal to it, counted from 1: twice the mid-rank, a whole number."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for rank, value in enumerate(sorted(values), 1):
        first.setdefault(value, rank)
        last[value] = rank
    return {value: rank + last[value] for value, rank in first.items()}


def _edge(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Point between low and high up to which the condition holds, to a tenth of the smallest difference of two
    residuals."""
    while high - low > UNIT / 10:
        half = (low + high) / 2
        low, high = (half, high) if holds(half) else (low, half)
    return (low + high) / 2
