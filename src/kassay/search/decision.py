# SPDX-License-Identifier: GPL-2.0-only
"""What a search wants next, or what it found; what the log says of every candidate, and of boots made side by side."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp
from statistics import median
from typing import TypeAlias

from kassay.model.bisect import Observation, Step
from kassay.model.reason import Reason
from kassay.model.records import Record

Boot: TypeAlias = tuple[int, float]
"""A candidate's place and the logarithm of what one boot of it took."""
PAIRS = 5
"""That hold one candidate against another; of three, a boot that strays would decide."""
_REACH = 4
"""Boots that two of a pair may lie apart."""


def paired(boots: Sequence[Boot], one: int, other: int) -> list[tuple[float, float]]:
    """(of one, of other), each boot in one pair at most, with the next of the other that is near enough."""
    return _walked(boots, one, other)[0]


def waiting(boots: Sequence[Boot], one: int, other: int) -> int | None:
    """Which of the two makes a pair with a boot of the other that was made last; None when either would begin one."""
    return _walked(boots, one, other)[1]


def _walked(boots: Sequence[Boot], one: int, other: int) -> tuple[list[tuple[float, float]], int | None]:
    found = []
    single: tuple[int, int, float] | None = None
    for number, (place, value) in enumerate(boots):
        if place not in (one, other):
            continue
        if single is None or single[1] == place or number - single[0] > _REACH:
            single = (number, place, value)
            continue
        found.append((value, single[2]) if place == one else (single[2], value))
        single = None
    near = single is not None and len(boots) - single[0] <= _REACH
    return found, one + other - single[1] if single is not None and near else None


def between(pairs: Sequence[tuple[float, float]]) -> float:
    """How much more the second of each pair takes, as a logarithm: the median."""
    return median(second - first for first, second in pairs)


def next_in_round(boots: Sequence[Boot], places: Sequence[int], wanted: int) -> int:
    """The boot that brings neighbours in `places` towards the wanted number of pairs; a walk up and down the places.

    Of neighbours with the fewest pairs the two that the last boot was one of, and of these the one that is missing."""
    last = boots[-1][0] if boots else None
    counts = [(len(paired(boots, *two)), last not in two, two) for two in pairwise(places)]
    _, _, (first, second) = min(count for count in counts if count[0] < wanted)
    missing = waiting(boots, first, second)
    return missing if missing is not None else second if last == first else first


TRIES = 3
"""Boots of a candidate that may fail, where time is measured, before it is skipped."""


class Ask(Record, frozen=True, kw_only=True):
    """Boot this candidate. boot: which boot of it, from 1. left: commits that may still be guilty. expected: further
    boots, this one included, that the search probably takes."""

    candidate: int
    boot: int
    reason: str
    left: int
    expected: int


class Conclusion(Record, frozen=True, kw_only=True):
    """The end. steps: every change, largest first; none when there is nothing to search, `open` then says why; it names
    candidates by their positions."""

    steps: tuple[Step, ...]
    open: tuple[Reason, ...] = ()


Decision: TypeAlias = Ask | Conclusion


class History:
    """The log, candidate by candidate: values in the order made, and who is skipped.

    tries: failed boots after which a candidate without a value is skipped; one where a boot repeats to the digit.
    """

    def __init__(self, log: Sequence[Observation], tries: int) -> None:
        self.values: dict[int, list[float]] = {}
        self.boots: dict[int, int] = {}
        self.failed: dict[int, int] = {}
        self.unbuilt: set[int] = set()
        for one in log:
            self.boots[one.candidate] = self.boots.get(one.candidate, 0) + 1
            if one.value is not None:
                self.values.setdefault(one.candidate, []).append(one.value)
            else:
                self.failed[one.candidate] = self.failed.get(one.candidate, 0) + 1
                self.unbuilt |= {one.candidate} if one.outcome == "not-built" else set()
        gone = {place for place, count in self.failed.items() if count >= tries} - self.values.keys()
        self.skipped = frozenset(self.unbuilt | gone)

    def value(self, place: int) -> float:
        """Median of a candidate's boots; only of one that was measured."""
        return median(self.values[place])

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
        middle, change = median(sum(two) / 2 for two in pairs), between(pairs)
        before, after = exp(middle - change / 2), exp(middle + change / 2)
    return Step(
        last_without=low, first=high, before=before, after=after, change=after / before - 1,
        between=tuple(range(low + 1, high)), odds=odds, boots=len(history.values[low]) + len(history.values[high]),
    )  # fmt: skip


def ordered(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Largest change first."""
    return tuple(sorted(steps, key=lambda step: (-abs(step.after - step.before), step.first)))
