# SPDX-License-Identifier: GPL-2.0-only
"""The next step of a search, or its result, from the log of every candidate and of boots made side by side."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp
from statistics import median
from typing import TypeAlias

from kassay.model.bisect import Observation, Step
from kassay.model.reason import Reason
from kassay.model.records import Record

Boot: TypeAlias = tuple[int, float]
"""A candidate's index and the logarithm of what one boot of it took."""
PAIRS = 5
"""Pairs of boots that compare two candidates; with three, a single outlier would decide."""
_REACH = 4
"""Largest distance between the two boots of a pair, in boots."""


def paired(boots: Sequence[Boot], first: int, second: int) -> list[tuple[float, float]]:
    """(of first, of second): each boot is in one pair at most, with the next near boot of the other candidate."""
    return _walked(boots, first, second)[0]


def waiting(boots: Sequence[Boot], first: int, second: int) -> int | None:
    """Candidate that is missing in a pair that the last boots began. None if either of the two would begin a pair."""
    return _walked(boots, first, second)[1]


def _walked(boots: Sequence[Boot], first: int, second: int) -> tuple[list[tuple[float, float]], int | None]:
    pairs = []
    single: tuple[int, int, float] | None = None
    for number, (candidate, value) in enumerate(boots):
        if candidate not in (first, second):
            continue
        if single is None or single[1] == candidate or number - single[0] > _REACH:
            single = (number, candidate, value)
            continue
        pairs.append((value, single[2]) if candidate == first else (single[2], value))
        single = None
    near = single is not None and len(boots) - single[0] <= _REACH
    return pairs, first + second - single[1] if single is not None and near else None


def between(pairs: Sequence[tuple[float, float]]) -> float:
    """Additional time of the second of each pair, as a logarithm: the median."""
    return median(second - first for first, second in pairs)


def next_in_round(boots: Sequence[Boot], candidates: Sequence[int], wanted: int) -> int:
    """The candidate to boot so that all neighbours in `candidates` get the wanted number of pairs; walks up and down.

    Of the neighbours with the fewest pairs, those first that the last boot belongs to; of the two the missing one."""
    last = boots[-1][0] if boots else None
    counts = [(len(paired(boots, *pair)), last not in pair, pair) for pair in pairwise(candidates)]
    _, _, (first, second) = min(count for count in counts if count[0] < wanted)
    missing = waiting(boots, first, second)
    return missing if missing is not None else second if last == first else first


TRIES = 3
"""Boots of a candidate that may fail, where time is measured, before it is skipped."""


class Ask(Record, frozen=True, kw_only=True):
    """Request to boot a candidate."""

    candidate: int
    boot: int
    """Number of this boot of the candidate, from 1."""
    reason: str
    left: int
    """Commits that may still be guilty."""
    expected: int
    """Number of boots that the search probably still takes, this one included."""


class Conclusion(Record, frozen=True, kw_only=True):
    """The end of a search."""

    steps: tuple[Step, ...]
    """Every change, largest first. Empty if there is nothing to search; `open` has the reason then."""
    open: tuple[Reason, ...] = ()
    """Open questions. They name candidates by their positions."""


Decision: TypeAlias = Ask | Conclusion


class History:
    """The log, candidate by candidate: values in the order made, and who is skipped.

    tries: failed boots after which a candidate without a value is skipped; 1 where a boot repeats to the digit.
    """

    def __init__(self, log: Sequence[Observation], tries: int) -> None:
        self.values: dict[int, list[float]] = {}
        self.boots: dict[int, int] = {}
        self.failed: dict[int, int] = {}
        self.unbuilt: set[int] = set()
        for observation in log:
            self.boots[observation.candidate] = self.boots.get(observation.candidate, 0) + 1
            if observation.value is not None:
                self.values.setdefault(observation.candidate, []).append(observation.value)
            else:
                self.failed[observation.candidate] = self.failed.get(observation.candidate, 0) + 1
                self.unbuilt |= {observation.candidate} if observation.outcome == "not-built" else set()
        gone = {candidate for candidate, count in self.failed.items() if count >= tries} - self.values.keys()
        self.skipped = frozenset(self.unbuilt | gone)

    def value(self, candidate: int) -> float:
        """Median of a candidate's boots; only of one that was measured."""
        return median(self.values[candidate])

    def ask(self, candidate: int, reason: str, left: int, expected: int) -> Ask:
        boot = self.boots.get(candidate, 0) + 1
        return Ask(candidate=candidate, boot=boot, reason=reason, left=left, expected=max(1, expected))


def step_between(history: History, low: int, high: int, odds: float | None = None,
                 pairs: Sequence[tuple[float, float]] = ()) -> Step:  # fmt: skip
    """The change from one measured candidate to another with nothing measured between.

    pairs: logarithms of boots made side by side, where time is measured; the change is then the median of theirs.
    """
    before, after = history.value(low), history.value(high)
    if pairs:
        middle, change = median(sum(pair) / 2 for pair in pairs), between(pairs)
        before, after = exp(middle - change / 2), exp(middle + change / 2)
    return Step(
        last_without=low, first=high, before=before, after=after, change=after / before - 1,
        between=tuple(range(low + 1, high)), odds=odds, boots=len(history.values[low]) + len(history.values[high]),
    )  # fmt: skip


def ordered(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Largest change first."""
    return tuple(sorted(steps, key=lambda step: (-abs(step.after - step.before), step.first)))
