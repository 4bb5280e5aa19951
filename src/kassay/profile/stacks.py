# SPDX-License-Identifier: GPL-2.0-only
"""The call tree -> what each path of functions cost itself."""

from collections import Counter
from collections.abc import Sequence

from kassay.model.profile import StackCost
from kassay.profile.costs import Counts, context_of
from kassay.profile.counters import RawProfile
from kassay.profile.symbols import Symbols, is_kernel


def stacks(raw: RawProfile, symbols: Symbols, sums: Sequence[Counts]) -> tuple[StackCost, ...]:
    """sums: by context of the file. In order of paths; a path that the file has twice is one.

    The first word is the context in which the path's last function ran, so a system call stands
    below the user functions that made it, and in "kernel".
    """
    paths = _paths(raw, symbols)
    found: Counter[tuple[str, ...]] = Counter()
    for number, counts in enumerate(sums):
        for node in raw.nodes.keys() & counts.keys():
            context = context_of(number, is_kernel(raw.nodes[node].address))
            found[context, *paths[node]] += counts[node]
    return tuple(StackCost(path=path, count=count) for path, count in sorted(found.items()) if count)


def _paths(raw: RawProfile, symbols: Symbols) -> dict[int, tuple[str, ...]]:
    """Function names from the outermost inwards; a node stands behind its parent in the file."""
    found: dict[int, tuple[str, ...]] = {}
    for number, node in raw.nodes.items():
        above = () if node.parent is None else found[node.parent]
        found[number] = (*above, symbols.find(node.address)[0]) if node.address else above
    return found
