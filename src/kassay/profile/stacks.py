# SPDX-License-Identifier: GPL-2.0-only
"""The call tree -> what each path of functions cost itself."""

from collections import Counter
from collections.abc import Sequence

from kassay.model.profile import NO_SYMBOL, StackCost
from kassay.profile.costs import Counts, context_of, foreign
from kassay.profile.counters import RawProfile
from kassay.profile.symbols import Symbols, is_kernel


def stacks(raw: RawProfile, symbols: Symbols, sums: Sequence[Counts]) -> tuple[StackCost, ...]:
    """sums: by context of the file. In order of paths; a path that the file has twice is one.

    The first word is the context in which the path's last function ran, so a system call stands
    below the user functions that made it, and in "kernel".
    """
    own, others = _paths(raw, symbols), _paths(raw, symbols, foreign=True)
    found: Counter[tuple[str, ...]] = Counter()
    for number, counts in enumerate(sums):
        for node in raw.nodes.keys() & counts.keys():
            context = context_of(number, is_kernel(raw.nodes[node].address))
            found[context, *(others if foreign(number) else own)[node]] += counts[node]
    return tuple(StackCost(path=path, count=count) for path, count in sorted(found.items()) if count)


def _paths(raw: RawProfile, symbols: Symbols, *, foreign: bool = False) -> dict[int, tuple[str, ...]]:
    """Function names from the outermost inwards; a node stands behind its parent in the file. foreign: user code has
    no names."""
    found: dict[int, tuple[str, ...]] = {}
    for number, node in raw.nodes.items():
        above = () if node.parent is None else found[node.parent]
        nameless = foreign and not is_kernel(node.address)
        name = NO_SYMBOL if nameless else symbols.find(node.address)[0]
        found[number] = (*above, name) if node.address else above
    return found
