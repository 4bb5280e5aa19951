# SPDX-License-Identifier: GPL-2.0-only
"""Costs: one number for each function, computed from the counters of a profile.

One file each: costs/NAME.py holds COST, a Cost whose name is NAME. Reports itemise by the default, INSTRUCTIONS;
`kassay profile --cost NAME` shows the same profile by another one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kassay.errors import BadInput
from kassay.registry import discover, load, names

if TYPE_CHECKING:  # help texts list the costs; they need not load the records of a profile
    from kassay.model.profile import FunctionCost, Profile

DEFAULT = "instructions"
_PACKAGE = "kassay.model.costs"


@dataclass(frozen=True, kw_only=True)
class Cost:
    """A cost of a function, computed from the counters of a profile."""

    name: str
    unit: str
    """Unit of the cost, in the plural."""
    definition: str
    """Formula of the cost in one sentence."""
    of: "Callable[[FunctionCost], int | None]"
    """Function that returns the cost of one function in one context; None if the run did not count it."""
    remedy: str = ""
    """Instruction to measure what the cost is computed from."""


def costs() -> Mapping[str, Cost]:
    """Every cost by name."""
    return discover(_PACKAGE, "COST", Cost)


@cache
def cost_of(name: str) -> Cost:
    """The cost with this name. Raises BadInput that lists the costs."""
    if name not in names(_PACKAGE):
        known = "; ".join(f"{cost.name} ({cost.definition})" for cost in costs().values())
        raise BadInput(f"cost: unknown {name!r}", f"known: {known}")
    return load(_PACKAGE, name, "COST", Cost)


def counted(row: "FunctionCost") -> int:
    """A row in the default cost, which every profile counts."""
    return cost_of(DEFAULT).of(row) or 0


def weighed(profile: "Profile", cost: Cost) -> int:
    """The sum over all functions. Raises BadInput where the run did not count what the cost needs."""
    counts = [cost.of(row) for row in profile.functions]
    if None in counts:
        raise BadInput(f"cost {cost.name}: run {profile.run} of {profile.kernel} did not count it", cost.remedy)
    return sum(count for count in counts if count is not None)
