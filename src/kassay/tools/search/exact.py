# SPDX-License-Identifier: GPL-2.0-only
"""Bisection of exact counts: one boot a candidate, no doubt, and every step of the range told from the others."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log2
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay.model.bisect import Observation
from kassay.model.reason import Reason, reason
from kassay.model.texts import counted
from kassay.tools.search.decision import Conclusion, Decision, History, ordered, step_between

_CLUSTER = 3


class _Stretch(NamedTuple):
    """Two measured candidates of different cost with nothing measured between them, and who can be measured there."""

    low: int
    high: int
    size: float
    testable: tuple[int, ...]


def next_step(last: int, log: Sequence[Observation], margin: float, steps: str = "all") -> Decision:
    """The next candidate to boot, from 0 (good) to `last` (bad), or the result.

    Two values are one level when they differ by at most `margin` of the older one's. A value of neither end's level is
    a level of its own: there are two steps then, and both sides are searched, the larger change first. One step among
    `last` candidates takes at most ceil(log2(last)) boots besides the ends. steps: "largest" leaves the others;
    with "nearest" a candidate's value counts as that of the nearer end, however little it differs.
    """
    history = History(log, 1)
    for candidate, name in ((0, "good"), (last, "bad")):
        if candidate in history.skipped:
            return Conclusion(steps=(), open=(reason("end-not-measured", end=name),))
        if candidate not in history.values:
            why = f"the {name} end, to know what it costs"
            return history.ask(candidate, why, last, (2 if candidate == 0 else 1) + _boots(last - 1))
    if not _apart(history, 0, last, margin):
        alike = reason("ends-alike", margin=margin, good=history.value(0), bad=history.value(last))
        return Conclusion(steps=(), open=(alike,))
    apart = _stretches(history, 0.0 if steps == "nearest" else margin)
    left = [stretch for stretch in apart if stretch.testable]
    settled = [stretch for stretch in apart if not stretch.testable]
    if left and (steps == "all" or max(apart, key=_size) in left):
        chosen = max(left, key=_size)
        return history.ask(
            _middle(chosen, history.skipped),
            _reason(chosen, history, len(left)),
            sum(stretch.high - stretch.low for stretch in left),
            sum(_boots(len(stretch.testable)) for stretch in left),
        )
    return Conclusion(steps=ordered([step_between(history, stretch.low, stretch.high) for stretch in settled]),
                 open=_open(history, last, margin, settled, left))  # fmt: skip


def by_one_method(log: Sequence[Observation]) -> Sequence[Observation]:
    """The log with values that may be compared: a mode and a mean may not. As analysis.rounds.method_of() chooses."""
    methods = {entry.method for entry in log if entry.value is not None}
    if len(methods) < 2 or UNSET in methods:
        return log
    by = "mean" if "mean" in methods else "median"
    return [structs.replace(entry, value=entry.readings[by]) if entry.readings else entry for entry in log]


def _apart(history: History, low: int, high: int, margin: float) -> bool:
    before = history.value(low)
    return abs(history.value(high) - before) > margin * abs(before)


def _stretches(history: History, margin: float) -> list[_Stretch]:
    stretches = []
    for low, high in pairwise(sorted(history.values)):
        if _apart(history, low, high, margin):
            size = abs(history.value(high) - history.value(low))
            inside = tuple(candidate for candidate in range(low + 1, high) if candidate not in history.skipped)
            stretches.append(_Stretch(low, high, size, inside))
    return stretches


def _size(stretch: _Stretch) -> tuple[float, int]:
    return stretch.size, -stretch.low


def _boots(testable: int) -> int:
    """Boots that find one step, in the worst case."""
    return ceil(log2(testable + 1)) if testable else 0


def _middle(stretch: _Stretch, skipped: frozenset[int]) -> int:
    """The candidate that halves what can be tested. Failures come in clusters, so with failures in the stretch the
    one farthest from them is taken, as long as the worst case stays as short. After three failures it may become a
    boot longer: by then another failure costs more."""
    inside, count = stretch.testable, len(stretch.testable)
    near = [candidate for candidate in skipped if stretch.low < candidate < stretch.high]
    side = 2 ** (_boots(count) - 1) - 1  # so many may be left on either side
    side = side if len(near) < _CLUSTER else max(side, count * 3 // 4)
    allowed = [i for i in range(count) if i <= side and count - 1 - i <= side]

    def wanted(i: int) -> tuple[int, float, int]:
        away = min((abs(inside[i] - candidate) for candidate in near), default=0)
        return -away, abs(i - (count - 1) / 2), i

    return inside[min(allowed, key=wanted)]


def _reason(stretch: _Stretch, history: History, stretches: int) -> str:
    values = f"{history.value(stretch.low):g} to {history.value(stretch.high):g}"
    more = f", the largest of {stretches} open changes" if stretches > 1 else ""
    halved = counted(len(stretch.testable), "candidate")
    return f"halves the {halved} between {stretch.low} and {stretch.high} ({values}{more})"


def _open(history: History, last: int, margin: float, settled: Sequence[_Stretch], left: Sequence[_Stretch]
          ) -> tuple[Reason, ...]:  # fmt: skip
    doubts = [reason("not-searched", low=stretch.low, high=stretch.high) for stretch in left]
    whole = history.value(last) - history.value(0)
    explained = sum(history.value(stretch.high) - history.value(stretch.low) for stretch in (*settled, *left))
    if abs(whole - explained) > margin * abs(history.value(0)):
        doubts.append(reason("spread-over-small", rest=(whole - explained) / history.value(0)))
    return tuple(doubts)
