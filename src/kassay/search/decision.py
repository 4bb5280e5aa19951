# SPDX-License-Identifier: GPL-2.0-only
"""What a search wants next, or what it found; and what the log says of every candidate."""

from collections.abc import Sequence
from math import exp
from statistics import median
from typing import TypeAlias

from kassay.model.bisect import Observation, Step
from kassay.model.reason import Reason
from kassay.model.records import Record
from kassay.search.pairs import between

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


class Found(Record, frozen=True, kw_only=True):
    """The end. steps: every change, largest first; none when there is nothing to search, `open` then says why; it names
    candidates by their positions."""

    steps: tuple[Step, ...]
    open: tuple[Reason, ...] = ()


Decision: TypeAlias = Ask | Found


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
