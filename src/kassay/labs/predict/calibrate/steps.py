# SPDX-License-Identifier: GPL-2.0-only
"""Sizes, from where a curve steps up: the last point that is still low, and how sure that is."""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple


class Step(NamedTuple):
    """Step of a curve."""

    size: int
    """Last argument below the middle."""
    after: int
    """Argument after `size`."""
    low: int
    """There is no step below this argument."""
    high: int
    """There is surely a step by this argument."""


def step_of(curve: Mapping[int, float], *, least: float = 1.3) -> Step | None:
    """Step of a curve that is flat, rises, and is flat again. None if it does not rise to `least` times its first
    level.

    The levels are those of the first and of the last quarter of the points. A single high point in front of the step is
    noise: the step is where the points from there on are above the middle.
    """
    sizes = sorted(curve)
    if len(sizes) < 4:
        return None
    quarter = max(1, len(sizes) // 4)
    below = _middle([curve[size] for size in sizes[:quarter]])
    above = _middle([curve[size] for size in sizes[-quarter:]])
    return crossing(curve, below, above) if above >= least * below else None


def level(curve: Mapping[int, float]) -> dict[int, float]:
    """A curve without the rise that most of its neighbouring points share."""
    rises = sorted((curve[after] - curve[size]) / (after - size) for size, after in pairwise(sorted(curve)))
    rise = max(0.0, rises[len(rises) // 2]) if rises else 0.0
    first = min(curve, default=0)
    return {size: value - rise * (size - first) for size, value in curve.items()}


def crossing(curve: Mapping[int, float], below: float, above: float) -> Step | None:
    """Step at which a curve goes from the level `below` to the level `above`. None if it stays on one side."""
    sizes = sorted(curve)
    middle = (below + above) / 2
    # The split with the fewest points on the wrong side.
    wrong = [
        sum(curve[size] >= middle for size in sizes[:at]) + sum(curve[size] < middle for size in sizes[at:])
        for at in range(len(sizes) + 1)
    ]
    at = wrong.index(min(wrong))
    if at in (0, len(sizes)):
        return None
    quarter = (above - below) / 4
    early = [size for size in sizes[:at] if curve[size] < below + quarter]
    late = [size for size in sizes[at:] if curve[size] > above - quarter]
    return Step(sizes[at - 1], sizes[at], early[-1] if early else sizes[0], late[0] if late else sizes[-1])


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
