# SPDX-License-Identifier: GPL-2.0-only
"""Two profiles of a comparison that was refused for unequal state -> the functions that ran on one kernel only."""

from collections import Counter
from collections.abc import Collection

from kassay.analysis.pairing import folded_functions
from kassay.model.costs import counted
from kassay.model.finding import OneSided
from kassay.model.profile import Profile, base_name

MOST = 12
"""Functions that are listed."""
_OWN = ("kernel",)


def one_sided(base: Profile, head: Profile, known: tuple[Collection[str], Collection[str]]) -> tuple[OneSided, ...]:
    """The functions of both kernels that only one of them executed for the workload, those that executed most first.

    known: names of all functions of each kernel. A compiler's copies of a function count as the function. Functions
    that one kernel lacks are left out: they were renamed, inlined, or are new, and tell nothing of the state.
    """
    both = {base_name(name) for name in known[0]} & {base_name(name) for name in known[1]}
    costs = _costs(base), _costs(head)
    found = []
    for profile, costs_here, other in ((base, costs[0], costs[1]), (head, costs[1], costs[0])):
        for name in (costs_here[0].keys() - other[0].keys()) & both:
            found.append(
                OneSided(function=name, kernel=profile.kernel, value=costs_here[0][name] / profile.operations,
                         calls=costs_here[1][name] / profile.operations)
            )  # fmt: skip
    return tuple(sorted(found, key=lambda row: (-row.value, row.function)))[:MOST]


def _costs(profile: Profile) -> tuple[Counter[str], Counter[str]]:
    """Instructions and calls of each function in kernel code that runs for the workload."""
    values: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for function in folded_functions(profile):
        if function.context in _OWN:
            values[function.function] += counted(function)
            calls[function.function] += function.calls
    return values, calls
