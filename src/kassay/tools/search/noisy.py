# SPDX-License-Identifier: GPL-2.0-only
"""Bisection on a clock: every boot is a vote with a weight, and the search ends when the odds are past what was asked.

The rules are those of docs/how-to/bisect.md. Pairs of end boots give the change and the scatter. The next boot is the
one that tells most. An outlier has no vote. Boots made side by side tell a host whose pace changes from a change of the
kernel. What then differs from both ends is a step of its own.
"""

from collections.abc import Sequence, Set
from itertools import pairwise
from math import ceil, exp, log, log2
from random import Random
from typing import NamedTuple

from msgspec import structs

from kassay.model.bisect import Observation, Step
from kassay.model.reason import Reason, reason
from kassay.tools.search.decision import (
    PAIRS,
    TRIES,
    Ask,
    Boot,
    Conclusion,
    Decision,
    History,
    between,
    next_in_round,
    ordered,
    paired,
    step_between,
    waiting,
)
from kassay.tools.search.posterior import Levels, Posterior, error_of, levels_of

END_PAIRS = 8
LEAST_APART = 2.0
"""Sigmas of a boot; with less between the ends, hundreds of boots decide nothing."""
_OWN_LEVEL, _REST = 3.3, 2.5  # standard errors
_OWN_LEVEL_ABOVE = 4.0  # sigmas between the ends; with less, nothing between them is told from both
_UNDECIDED = 0.02
_MOST = 250
_INFORMATION = ((1.0, 0.16), (2.0, 0.49), (3.0, 0.76), (4.0, 0.91), (6.0, 0.99))


class _Search(NamedTuple):
    """Constants of a search."""

    history: History
    boots: tuple[Boot, ...]
    error_rate: float
    seed: int
    all_steps: bool

    def inside(self, low: int, high: int) -> list[tuple[int, float]]:
        return [boot for boot in self.boots if low <= boot[0] <= high]

    def count(self, candidate: int) -> int:
        return len(self.history.values.get(candidate, ()))

    def hopeless(self, candidate: int, least: int = 2 * TRIES) -> bool:
        """True if a candidate fails too often to be booted again: three times as often as not, and `least` times."""
        failed = self.history.failed.get(candidate, 0)
        return candidate in self.history.unbuilt or failed >= max(least, 3 * self.count(candidate))


def next_step(last: int, log_: Sequence[Observation], error_rate: float, *, seed: int = 1,
              steps: str = "all") -> Decision:  # fmt: skip
    """The next candidate to boot, from 0 (good) to `last` (bad), or the result.

    A step is found when the odds of its position are at least 1 - error_rate. Its two sides are then booted in turns
    with each other and with the ends, and what differs from its end is searched in turn.
    """
    boots = tuple((entry.candidate, log(entry.value)) for entry in log_ if entry.value is not None)
    decision = _between(0, last, _Search(History(log_, TRIES), boots, error_rate, seed, steps == "all"))
    if isinstance(decision, Ask) or not decision.steps:
        return decision
    return _with_rest(decision, levels_of(paired(boots, 0, last)))


def _with_rest(conclusion: Conclusion, levels: Levels) -> Conclusion:
    """Says when the steps are not all of the change: what is left may be steps too small for these boots."""
    explained = sum(log(step.after / step.before) for step in conclusion.steps)
    error = (levels.error**2 + len(conclusion.steps) * error_of(levels.sigma, PAIRS) ** 2) ** 0.5
    if abs(levels.change - explained) < _REST * error:
        return conclusion
    smaller = reason("smaller-steps", whole=exp(levels.change) - 1, known=exp(explained) - 1)
    return structs.replace(conclusion, open=(*conclusion.open, smaller))


def _between(low: int, high: int, search: _Search) -> Decision:
    """The search of one stretch whose ends are known to differ."""
    ends = _ends(low, high, search)
    if ends is not None:
        return ends
    pairs = paired(search.boots, low, high)
    at_first = levels_of(pairs[:END_PAIRS])  # later boots must not undo this decision
    if at_first.apart < LEAST_APART:
        return _too_close(low, high, at_first)
    levels, inside = levels_of(pairs), search.inside(low, high)
    posterior = Posterior(low, high, inside, levels)
    own = _own_level(low, high, levels, posterior, search)
    if own is not None:
        return own if isinstance(own, Ask) else _both((low, own), (own, high), search)
    gone = {c for c in range(low + 1, high) if c in search.history.skipped or search.hopeless(c)}
    classes = _classes(low, high, gone)
    chances = [float(posterior.odds[a - low : b - low].sum()) for a, b in classes]
    best = max(range(len(classes)), key=lambda i: chances[i])
    if chances[best] >= 1 - search.error_rate:
        return _settled(low, high, classes[best], chances[best], levels, search)
    if len(inside) >= _MOST or len(search.boots) >= 2 * _MOST:
        undecided = reason(
            "search-undecided", low=low, high=high, boots=len(inside), all_boots=len(search.boots),
            likeliest=classes[best][1], odds=chances[best],
        )  # fmt: skip
        return Conclusion(steps=(), open=(undecided,))
    return _most_telling(low, high, classes, chances, posterior, levels, search)


def _ends(low: int, high: int, search: _Search) -> Ask | Conclusion | None:
    """Boots of the two ends in pairs, each pair in random order, until there are enough."""
    for candidate in (low, high):
        if search.hopeless(candidate, 2 * END_PAIRS):
            return Conclusion(steps=(), open=(reason("stretch-not-measured", candidate=candidate),))
    pairs = len(paired(search.boots, low, high))
    if pairs >= END_PAIRS:
        return None
    missing = waiting(search.boots, low, high)
    first = Random(f"bisect/{search.seed}/{low}/{high}/{pairs}").choice((low, high))
    candidate = first if missing is None else missing
    end = "good" if candidate == low else "bad"
    why = f"the {end} end of this search, pair {pairs + 1} of {END_PAIRS} with the other"
    return search.history.ask(candidate, why, high - low, 2 * (END_PAIRS - pairs) + ceil(log2(max(2, high - low))) + 6)


def _too_close(low: int, high: int, levels: Levels) -> Conclusion:
    close = reason(
        "change-below-scatter", low=low, high=high, change=exp(levels.change) - 1, apart=levels.apart,
        scatter=levels.sigma,
    )  # fmt: skip
    return Conclusion(steps=(), open=(close,))


def _stands_apart(candidate: int, other: int, errors: float, levels: Levels, search: _Search) -> bool | Ask:
    """True if boots of the two, made side by side, differ by more than this number of errors; or the boot that is still
    needed."""
    pairs = paired(search.boots, candidate, other)
    if len(pairs) >= PAIRS:
        return abs(between(pairs)) > errors * error_of(levels.sigma, len(pairs))
    ask = next_in_round(search.boots, (candidate, other), PAIRS)
    why = f"whether {candidate} costs what {other} does: pair {len(pairs) + 1} side by side"
    return search.history.ask(ask, why, abs(candidate - other), 2 * (PAIRS - len(pairs)))


def _own_level(low: int, high: int, levels: Levels, posterior: Posterior, search: _Search) -> int | Ask | None:
    """A candidate on neither end's level, or the boot still needed to tell; only of candidates in doubt."""
    if levels.apart < _OWN_LEVEL_ABOVE:
        return None
    # In the order of their first boots: a candidate once found is found again at every later boot.
    for candidate in dict.fromkeys(candidate for candidate, _ in search.inside(low, high)):
        if candidate in (low, high) or search.count(candidate) < 2 or search.hopeless(candidate):
            continue
        odds = posterior.odds[: candidate - low].sum()
        if search.count(candidate) < PAIRS and not _UNDECIDED < odds < 1 - _UNDECIDED:
            continue
        nearer = sorted((low, high), key=lambda end: -len(paired(search.boots, candidate, end)))
        answers = []
        for end in nearer:
            answers.append(_stands_apart(candidate, end, _OWN_LEVEL, levels, search))
            if answers[-1] is not True:
                break
        if answers[-1] is not False:
            return candidate if answers[-1] is True else answers[-1]
    return None


def _classes(low: int, high: int, skipped: Set[int]) -> list[tuple[int, int]]:
    """Candidates that no boot can tell apart: (a, b) stands for the gaps a+1..b, with a and b testable."""
    return list(pairwise(c for c in range(low, high + 1) if c in (low, high) or c not in skipped))


def _most_telling(low: int, high: int, classes: list[tuple[int, int]], chances: list[float], posterior: Posterior,
                  levels: Levels, search: _Search) -> Ask:  # fmt: skip
    """The candidate whose boot tells most about the position of the step. Considered are the candidate that halves the
    probability, its likely neighbours, and the ends. An end tells when the host's pace is in doubt."""
    likeliest = max(range(len(classes)), key=lambda i: chances[i])
    total, halving = 0.0, (1.0, 0, low)
    for (_, candidate), chance in zip(classes[:-1], chances, strict=False):
        total += chance
        halving = min(halving, (round(abs(total - 0.5), 6), search.history.boots.get(candidate, 0), candidate))
    candidates = dict.fromkeys((halving[2], *classes[likeliest], low, high))
    gains = {candidate: round(posterior.gain(candidate), 4) for candidate in candidates}
    candidate = max(gains, key=lambda p: (gains[p], -search.history.boots.get(p, 0)))
    likely = f"likeliest so far is {classes[likeliest][1]} with {chances[likeliest]:.0%}"
    how = "an end again, to see whether the host is as it was" if candidate in (low, high) else "tells most"
    left = sum(b - a for (a, b), chance in zip(classes, chances, strict=True) if chance > search.error_rate / 100)
    return search.history.ask(candidate, f"{how}; {likely}", left, _expected(chances, levels, search.error_rate))


def _expected(chances: list[float], levels: Levels, error_rate: float) -> int:
    """Boots that the search probably still takes: bits that are missing over bits a boot gives, and the two sides."""
    missing = -sum(p * log2(p) for p in chances if p > 0)
    d = levels.apart
    bits = next((_INFORMATION[i - 1][1] for i in range(1, len(_INFORMATION)) if d < _INFORMATION[i][0]), 0.99)
    past = 2 * log((1 - error_rate) / error_rate) / (0.72 * d * d)
    return ceil(missing / bits + past) + 3 * PAIRS


def _settled(low: int, high: int, gap: tuple[int, int], odds: float, levels: Levels, search: _Search) -> Decision:
    """A step was found: its sides are booted in turns with the ends, then what is left on either side is searched."""
    before, after = gap
    candidates = tuple(dict.fromkeys((low, before, after, high))) if search.all_steps else gap
    have = min(len(paired(search.boots, *pair)) for pair in pairwise(candidates))
    if have < PAIRS:
        why = f"{after} is the first with the step ({odds:.1%}): its sides in turns, {have + 1} of {PAIRS}"
        ask = next_in_round(search.boots, candidates, PAIRS)
        return search.history.ask(ask, why, after - before, (len(candidates) - 1) * (PAIRS - have) + 2)
    step = step_between(search.history, before, after, odds, paired(search.boots, before, after))
    if not search.all_steps:
        return Conclusion(steps=(step,))
    return _rest(low, high, step, levels, search)


def _rest(low: int, high: int, step: Step, levels: Levels, search: _Search) -> Decision:
    """Check whether the last candidate without the step costs as much as the good end, and the first one with it as
    much as the bad end."""
    steps: list[Step] = [step]
    left: list[Reason] = []
    for lower, upper in ((low, step.last_without), (step.first, high)):
        apart = lower != upper and _stands_apart(lower, upper, _REST, levels, search)
        further = _between(lower, upper, search) if apart is True else apart
        if isinstance(further, Ask):
            return further
        if isinstance(further, Conclusion):
            steps += further.steps
            left += further.open
    return Conclusion(steps=ordered(steps), open=tuple(left))


def _both(left: tuple[int, int], right: tuple[int, int], search: _Search) -> Decision:
    """Two stretches with a step each; the larger change first."""
    sides = sorted((left, right), key=lambda side: -abs(between(paired(search.boots, *side))))
    steps: list[Step] = []
    left_open: list[Reason] = []
    for low, high in sides if search.all_steps else sides[:1]:
        decision = _between(low, high, search)
        if isinstance(decision, Ask):
            return decision
        steps += decision.steps
        left_open += decision.open
    return Conclusion(steps=ordered(steps), open=tuple(left_open))
