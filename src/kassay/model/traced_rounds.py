# SPDX-License-Identifier: GPL-2.0-only
"""Rounds that a counted value stands for: which of those recorded are replayed, and which are worth recording."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from statistics import fmean

NEAR = 0.01
"""A round that costs this share more or less than the value is one that the value stands for."""
ROUNDS_MOST = 0.03
"""Largest share by which replayed rounds may execute more or less than the value. Beyond it nothing is predicted."""
_PAIRS = 3
_WARM_UP = 2
"""First rounds of a run that are recorded only where no later ones will do."""
_SEARCHED = 48
"""Rounds among which sets are tried."""


def matching_rounds(costs: Mapping[int, float], value: float, chosen: Collection[int]) -> tuple[int, ...]:
    """The rounds that the value stands for, in order; none if no choice of rounds is close enough.

    costs: by number of the round. chosen: the rounds that the value was computed from. Rounds near the value come
    first. If the value is a mean or a median of several rounds, no single round needs to be near it. Two or three of
    `chosen` whose mean is near the value are taken then.
    """
    for tolerance in (NEAR, ROUNDS_MOST):
        near = tuple(n for n, cost in sorted(costs.items()) if abs(cost - value) <= tolerance * value)
        if near:
            return near
    several = sorted(costs.keys() & set(chosen))[:_SEARCHED]
    for size in range(2, _PAIRS + 1):
        sets = [rounds for rounds in combinations(several, size) if _apart(rounds)]
        best = min(sets, key=lambda rounds: abs(fmean(costs[n] for n in rounds) - value), default=())
        if best and abs(fmean(costs[n] for n in best) - value) <= NEAR * value:
            return best
    return ()


def rounds_to_record(
    costs: Mapping[int, float], value: float, chosen: Collection[int], usual: Sequence[int]
) -> tuple[int, ...]:
    """Pairs of rounds to record, one after another: a round that warms the model, and one that is replayed.

    usual: the pairs recorded by default. They are kept if the value stands for one of their replayed rounds, and if
    it stands for no round at all.
    """
    replayed = {number: costs[number] for number in usual[1::2] if number in costs}
    if matching_rounds(replayed, value, chosen):
        return tuple(usual)
    for first in (_WARM_UP + 2, 2):
        later = {number: cost for number, cost in costs.items() if number >= first}
        if matching := matching_rounds(later, value, chosen):
            return tuple(n for number in _drawn(matching) for n in (number - 1, number))
    return tuple(usual)


def joined_pairs(pairs: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Pairs of several choices as one list in order. A pair that shares a round with an earlier one is left out."""
    kept: list[tuple[int, int]] = []
    for rounds in pairs:
        for pair in zip(rounds[::2], rounds[1::2], strict=True):
            if not {number for earlier in kept for number in earlier} & set(pair):
                kept.append(pair)
    return tuple(number for pair in sorted(kept) for number in pair)


def _apart(rounds: Sequence[int]) -> bool:
    """True if the pairs of these rounds share none."""
    return all(later - earlier >= 2 for earlier, later in pairwise(rounds))


def _drawn(rounds: Sequence[int]) -> tuple[int, ...]:
    """At most three of the rounds, evenly drawn from those whose pairs share none."""
    apart: list[int] = []
    for number in rounds:
        if not apart or number - apart[-1] >= 2:
            apart.append(number)
    many = min(_PAIRS, len(apart))
    return tuple(apart[(2 * index + 1) * len(apart) // (2 * many)] for index in range(many))
