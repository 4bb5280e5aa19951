# SPDX-License-Identifier: GPL-2.0-only
"""Inputs and results of the rules for parameters."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kassay.labs.predict.calibrate.samples import Measured


class Estimate(NamedTuple):
    """A parameter. how: what was measured. n: samples behind it."""

    value: float
    low: float
    high: float
    n: int
    how: str


class Facts(NamedTuple):
    """measured: points by name. caches: as machine.caches() has them. like: values of the file that this one was copied
    from."""

    measured: Mapping[str, Measured]
    caches: Mapping[str, tuple[int, int]]
    like: Mapping[str, float]


Rule = Callable[[Facts], Estimate | None]


def plain(point: str, how: str, *, times: float = 1.0, less: float = 0.0, least: float = 0.0) -> Rule:
    """A point's cycles, times a factor, less a constant."""

    def rule(facts: Facts) -> Estimate | None:
        measured = facts.measured.get(point)
        if measured is None:
            return None
        value, low, high = (max(least, cycles * times - less) for cycles in measured[:3])
        return Estimate(value, low, high, measured.n, f"{how} ({point})")

    return rule
