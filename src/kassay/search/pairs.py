# SPDX-License-Identifier: GPL-2.0-only
"""Boots made side by side: what the host does in these minutes, it does to both."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import TypeAlias

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
    _, _, (first, second) = min(one for one in counts if one[0] < wanted)
    missing = waiting(boots, first, second)
    return missing if missing is not None else second if last == first else first
