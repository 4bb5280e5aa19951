# SPDX-License-Identifier: GPL-2.0-only
"""Costs: what the counters of a profile are worth together, as one number a function.

One file each: costs/NAME.py holds COST, a Cost whose name is NAME. Reports itemise by the default, INSTRUCTIONS;
`kassay profile --cost NAME` shows the same profile by another one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kassay.errors import BadInput
from kassay.registry import discover, load, names

if TYPE_CHECKING:  # help texts name the costs, and load no record of a profile for it
    from kassay.model.profile import FunctionCost, Profile

DEFAULT = "instructions"
_PACKAGE = "kassay.costs"


@dataclass(frozen=True, kw_only=True)
class Cost:
    """unit: what is counted, in the plural. definition: of what it is made, one sentence. of(row): the number of one
    function in one context; None where the run did not count it. remedy: how to measure what counts it."""

    name: str
    unit: str
    definition: str
    of: "Callable[[FunctionCost], int | None]"
    remedy: str = ""


def costs() -> Mapping[str, Cost]:
    """Every cost by name."""
    return discover(_PACKAGE, "COST", Cost)


@cache
def cost_of(name: str) -> Cost:
    """The cost with this name. Raises BadInput that lists what there is."""
    if name not in names(_PACKAGE):
        known = "; ".join(f"{cost.name} ({cost.definition})" for cost in costs().values())
        raise BadInput(f"cost: unknown {name!r}", f"known: {known}")
    return load(_PACKAGE, name, "COST", Cost)


def counted(row: "FunctionCost") -> int:
    """A row in the default cost, which every profile counts."""
    return cost_of(DEFAULT).of(row) or 0


def weighed(profile: "Profile", cost: Cost) -> int:
    """The sum over all functions. Raises BadInput where the run did not count what the cost is made of."""
    found = [cost.of(row) for row in profile.functions]
    if None in found:
        raise BadInput(f"cost {cost.name}: run {profile.run} of {profile.kernel} did not count it", cost.remedy)
    return sum(count for count in found if count is not None)
