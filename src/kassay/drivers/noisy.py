# SPDX-License-Identifier: GPL-2.0-only
"""Bisection on a clock: every boot is a vote with a weight, and the search ends when the odds are past what was asked.

After docs/bisect.md: end boots give the levels and the scatter, the next boot is the one that halves the probability,
a boot that strays has no vote. What then stands apart from both levels is a step of its own.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, exp, log, log2
from random import Random
from statistics import median
from typing import NamedTuple

from kassay.drivers.decision import TRIES, Ask, Decision, Found, History, ordered, step_between
from kassay.drivers.posterior import Levels, gap_odds, levels_of
from kassay.model.bisect import Observation, Step

END_BOOTS = 8
LEAST_APART = 2.0
"""Sigmas of a boot; with less between the ends, hundreds of boots decide nothing."""
_ANCHORED_BELOW, _ANCHOR_EVERY, _ANCHOR_WEIGHT = 3.0, 4, 0.3
_CONFIRM, _OWN_LEVEL = 4, 3.3
_MOST = 250
_INFORMATION = ((1.0, 0.16), (2.0, 0.49), (3.0, 0.76), (4.0, 0.91), (6.0, 0.99))


class _Search(NamedTuple):
    """What does not change during a search."""

    error_rate: float
    seed: int
    all_steps: bool
    anchors: frozenset[int]


def next_step(last: int, log_: Sequence[Observation], error_rate: float, *, seed: int = 1,
              steps: str = "all") -> Decision:  # fmt: skip
    """What to boot next of the candidates 0 (good) to `last` (bad), or what was found.

    A step is found when the odds of its place are at least 1 - error_rate. Its two sides are then booted until each
    has four boots, and compared with the ends: what is left between is searched in turn, if it can be seen.
    """
    search = _Search(error_rate, seed, steps == "all", frozenset((0, last)))
    history = History(log_, TRIES)
    return _between(0, last, history, _steadied(last, log_), search)


Boots = dict[int, list[float]]


def _between(low: int, high: int, history: History, boots: Boots, search: _Search) -> Decision:
    """The search of one stretch whose ends are known to differ."""
    ends = _ends(low, high, history, search)
    if ends is not None:
        return ends
    at_first = levels_of(boots[low][:END_BOOTS], boots[high][:END_BOOTS])  # more boots must not turn a search back
    if at_first.apart < LEAST_APART:
        return _too_close(low, high, at_first)
    levels = levels_of(boots[low], boots[high])
    inside = {place: values for place, values in boots.items() if low <= place <= high}
    own = _own_level(low, high, inside, levels)
    if own is not None:
        return _both((low, own), (own, high), history, boots, search)
    odds = gap_odds(high - low, {place - low: values for place, values in inside.items()}, levels)
    classes = _classes(low, high, history.skipped)
    chances = [float(odds[a - low : b - low].sum()) for a, b in classes]
    best = max(range(len(classes)), key=lambda i: chances[i])
    if chances[best] >= 1 - search.error_rate:
        return _settled(low, high, classes[best], chances[best], history, boots, levels, search)
    if sum(len(values) for values in inside.values()) >= _MOST:
        said = f"between @{low} and @{high} nothing was decided after {_MOST} boots"
        return Found(steps=(), open=(f"{said}; the likeliest is @{classes[best][1]} with {chances[best]:.0%}",))
    return _anchor(low, high, history, levels, search) or _halving(low, classes, chances, history, levels, search)


def _ends(low: int, high: int, history: History, search: _Search) -> Ask | Found | None:
    """Boots of the two ends in pairs, each pair in random order, until both have enough."""
    for place in (low, high):
        if place in history.skipped or history.failed.get(place, 0) >= 2 * END_BOOTS:
            return Found(steps=(), open=(f"@{place}, an end of the search, cannot be measured",))
    counts = {place: len(history.values.get(place, ())) for place in (low, high)}
    pair = min(counts.values())
    if pair >= END_BOOTS:
        return None
    first = Random(f"bisect/{search.seed}/{low}/{high}/{pair}").choice((low, high))
    other = low + high - first
    place = first if counts[first] <= counts[other] else other
    owed = sum(max(0, END_BOOTS - count) for count in counts.values())
    reason = f"boot {counts[place] + 1} of {END_BOOTS} at the {'good' if place == low else 'bad'} end of this search"
    return history.ask(place, reason, high - low, owed + ceil(log2(max(2, high - low))) + 3)


def _too_close(low: int, high: int, levels: Levels) -> Found:
    change = exp(levels.bad - levels.good) - 1
    said = (f"between @{low} and @{high} time changes by {change:+.1%}, {levels.apart:.1f} times the scatter of a boot "
            f"({levels.sigma:.1%}): too little to be bisected on this clock")  # fmt: skip
    return Found(steps=(), open=(said,))


def _own_level(low: int, high: int, boots: Boots, levels: Levels) -> int | None:
    """A candidate whose boots are on neither end's level; the one farthest from both."""
    found = []
    for place, values in boots.items():
        if low < place < high and len(values) >= _CONFIRM:
            away = min(abs(median(values) - level) for level in (levels.good, levels.bad))
            if away > _OWN_LEVEL * _error(levels.sigma, len(values), len(boots[low])):
                found.append((away, -place))
    return -max(found)[1] if found else None


def _error(sigma: float, n: int, m: int) -> float:
    """Standard error of the difference of two medians."""
    return float(1.2533 * sigma * (1 / n + 1 / m) ** 0.5)


def _classes(low: int, high: int, skipped: frozenset[int]) -> list[tuple[int, int]]:
    """Candidates that no boot can tell apart: (a, b) stands for the gaps a+1..b, with a and b testable."""
    places = [place for place in range(low, high + 1) if place in (low, high) or place not in skipped]
    return list(pairwise(places))


def _halving(low: int, classes: list[tuple[int, int]], chances: list[float], history: History, levels: Levels,
             search: _Search) -> Ask:  # fmt: skip
    """The boot that halves the probability; of equals, the one with the fewest boots."""
    total, best = 0.0, (1.0, 0, low)
    for (_, place), chance in zip(classes[:-1], chances, strict=False):
        total += chance
        best = min(best, (round(abs(total - 0.5), 6), history.boots.get(place, 0), place))
    place = best[2]
    left = sum(b - a for (a, b), chance in zip(classes, chances, strict=True) if chance > search.error_rate / 100)
    likeliest = max(range(len(classes)), key=lambda i: chances[i])
    reason = f"halves the odds; likeliest so far is {classes[likeliest][1]} with {chances[likeliest]:.0%}"
    return history.ask(place, reason, left, _expected(chances, levels, search.error_rate))


def _expected(chances: list[float], levels: Levels, error_rate: float) -> int:
    """Boots that the search probably still takes: bits that are missing over bits a boot gives, and the two sides."""
    missing = -sum(p * log2(p) for p in chances if p > 0)
    d = levels.apart
    bits = next((_INFORMATION[i - 1][1] for i in range(1, len(_INFORMATION)) if d < _INFORMATION[i][0]), 0.99)
    past = 2 * log((1 - error_rate) / error_rate) / (0.72 * d * d)
    return ceil(missing / bits + past) + 2


def _anchor(low: int, high: int, history: History, levels: Levels, search: _Search) -> Ask | None:
    """Where the levels are close, drift can look like a step: every fourth boot is one of a random end."""
    made = sum(history.boots.values())
    if levels.apart >= _ANCHORED_BELOW or made % _ANCHOR_EVERY or not {low, high} <= search.anchors:
        return None
    place = Random(f"anchor/{search.seed}/{made}").choice((low, high))
    return history.ask(place, "an end again, to see drift", high - low, _ANCHOR_EVERY)


def _steadied(last: int, log_: Sequence[Observation]) -> Boots:
    """Logarithms of all values, less the drift that the ends show: an average of their latest residuals.

    Boots up to the eighth of each end are as they are: they are interleaved, so drift is in both alike.
    """
    boots: Boots = {}
    drift, levels = 0.0, None
    for one in log_:
        if one.value is None:
            continue
        x = log(one.value)
        ends = [boots.get(place, []) for place in (0, last)]
        if levels is None and min(map(len, ends)) >= END_BOOTS:
            levels = levels_of(*ends)
        if levels is not None and levels.apart < _ANCHORED_BELOW and one.candidate in (0, last):
            residual = x - (levels.good if one.candidate == 0 else levels.bad)
            held = max(-3 * levels.sigma, min(3 * levels.sigma, residual))
            drift += _ANCHOR_WEIGHT * (held - drift)
        boots.setdefault(one.candidate, []).append(x - drift)
    return boots


def _settled(low: int, high: int, place: tuple[int, int], odds: float, history: History, boots: Boots, levels: Levels,
             search: _Search) -> Decision:  # fmt: skip
    """A step was found: its sides are made sure of, then what is left on either side is searched."""
    before, after = place
    for side in sorted(place, key=lambda p: (len(boots.get(p, ())), p)):
        have = len(boots.get(side, ()))
        if have < _CONFIRM and history.failed.get(side, 0) < 2 * _CONFIRM:
            reason = f"{side} is {'the first with' if side == after else 'the last without'} the step ({odds:.1%}): "
            owed = sum(max(0, _CONFIRM - len(boots.get(p, ()))) for p in place)
            return history.ask(side, f"{reason}boot {have + 1} of {_CONFIRM} to be sure", after - before, owed)
    unsure = [side for side in place if not boots.get(side)]
    if unsure:
        said = f"@{unsure[0]} is beside the step between @{before} and @{after}, and has no boot that succeeded"
        return Found(steps=(), open=(said,))
    step = step_between(history, before, after, odds)
    if not search.all_steps:
        return Found(steps=(step,))
    return _rest(low, high, step, history, boots, levels, search)


def _rest(low: int, high: int, step: Step, history: History, boots: Boots, levels: Levels, search: _Search
          ) -> Decision:  # fmt: skip
    """Whether the last without is still as the good end, and the first with it already as the bad end."""
    steps: list[Step] = [step]
    said: list[str] = []
    for one, other in ((low, step.last_without), (step.first, high)):
        if one == other:
            continue
        away = abs(median(boots[one]) - median(boots[other]))
        if away > _OWN_LEVEL * _error(levels.sigma, len(boots[one]), len(boots[other])):
            further = _between(one, other, history, boots, search)
            if isinstance(further, Ask):
                return further
            steps += further.steps
            said += further.open
    return Found(steps=ordered(steps), open=tuple(said))


def _both(left: tuple[int, int], right: tuple[int, int], history: History, boots: Boots, search: _Search) -> Decision:
    """Two stretches with a step each; the larger change first."""
    sides = sorted((left, right), key=lambda s: -abs(history.value(s[1]) - history.value(s[0])))
    steps: list[Step] = []
    said: list[str] = []
    for low, high in sides if search.all_steps else sides[:1]:
        found = _between(low, high, history, boots, search)
        if isinstance(found, Ask):
            return found
        steps += found.steps
        said += found.open
    return Found(steps=ordered(steps), open=tuple(said))
