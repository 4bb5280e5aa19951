# SPDX-License-Identifier: GPL-2.0-only
"""Inputs and results of the rules for parameters."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kassay.labs.predict.calibrate.samples import Measured
from kassay.labs.predict.calibrate.steps import Step, step_of


class Unmeasured(Exception):
    """A point that a rule needs was not measured, or its points show no step."""


class CacheUnfit(Unmeasured):
    """A cache is too large for a rule's probe, or the kernel does not report its size. The text says which one."""


class Estimate(NamedTuple):
    """Estimate of a parameter."""

    value: float
    low: float
    high: float
    n: int
    """Number of samples behind it."""
    how: str
    """Measurement that it comes from."""


class Facts(NamedTuple):
    """Measurements and known values from which parameters are estimated."""

    measured: Mapping[str, Measured]
    """Measured points by name."""
    caches: Mapping[str, tuple[int, int]]
    """Caches by name, as machine.caches() has them."""
    like: Mapping[str, float]
    """Values of parameters in the timing file that this one was copied from."""

    def point(self, name: str) -> Measured:
        """A point. Raises Unmeasured."""
        if name not in self.measured:
            raise Unmeasured(name)
        return self.measured[name]

    def cache(self, name: str) -> tuple[int, int]:
        """Bytes and ways of a cache. Raises CacheUnfit."""
        if name not in self.caches:
            folder = "/sys/devices/system/cpu/cpu0/cache"
            raise CacheUnfit(f"its probe needs the size of the {name} cache, which is not in {folder}")
        return self.caches[name]


Rule = Callable[[Facts], Estimate]
"""Gives a parameter. Raises Unmeasured: the parameter then keeps the value of the file that was copied."""


def decision(holds: bool, *, surely: bool, perhaps: bool, n: int, how: str) -> Estimate:
    """A parameter that is 1 or 0. surely, perhaps: whether it holds at the ends of what was measured. Its bounds are 0
    and 1 if they differ: the probe does not decide it."""
    return Estimate(float(holds), float(surely), float(perhaps), n, how)


def step_in(points: Mapping[int, float], *, least: float = 1.3) -> Step:
    """The same as step_of(). Raises Unmeasured without a step."""
    if (step := step_of(points, least=least)) is None:
        raise Unmeasured
    return step


def plain(point: str, how: str, *, times: float = 1.0, less: float = 0.0, least: float = 0.0) -> Rule:
    """A point's cycles, times a factor, less a constant."""

    def rule(facts: Facts) -> Estimate:
        measured = facts.point(point)
        value, low, high = (max(least, cycles * times - less) for cycles in measured[:3])
        return Estimate(value, low, high, measured.n, f"{how} ({point})")

    return rule
