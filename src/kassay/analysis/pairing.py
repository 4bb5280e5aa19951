# SPDX-License-Identifier: GPL-2.0-only
"""Functions that only one kernel executes, and the function that holds their code on the other."""

from collections import Counter
from collections.abc import Mapping

from kassay.costs import counted
from kassay.model.profile import NO_SYMBOL, Profile

Node = tuple[str, str]
"""A function in a context. Edges do not name the place, so two functions of one name and context are one node."""


def holders(base: Profile, head: Profile) -> dict[Node, Node]:
    """For each function that appeared or vanished the one that holds it: executed by both, and above all its calls.

    A compiler that inlines on one side only moves code between these two. A function stands
    alone, and is left out here, when its callers lead to several functions, to none, or
    when the edges do not explain every call of it.
    """
    executed = _executed(base), _executed(head)
    both = executed[0] & executed[1]
    found: dict[Node, Node] = {}
    for profile, own in ((base, executed[0] - both), (head, executed[1] - both)):
        callers = _callers(profile)
        for node in own:
            holder = _holder(node, own, both, callers)
            if holder is not None:
                found[node] = holder
    return found


def _executed(profile: Profile) -> set[Node]:
    return {(one.function, one.context) for one in profile.functions if one.function != NO_SYMBOL and counted(one) > 0}


def _callers(profile: Profile) -> dict[Node, set[Node]]:
    """Who calls each function; only functions whose every call is explained by the edges."""
    entries: Counter[Node] = Counter()
    for one in profile.functions:
        entries[one.function, one.context] += one.calls
    explained: Counter[Node] = Counter()
    callers: dict[Node, set[Node]] = {}
    for edge in profile.edges:
        if edge.calls:
            explained[edge.callee, edge.context] += edge.calls
            callers.setdefault((edge.callee, edge.context), set()).add((edge.caller, edge.context))
    return {node: above for node, above in callers.items() if explained[node] >= entries[node]}


def _holder(node: Node, own: set[Node], both: set[Node], callers: Mapping[Node, set[Node]]) -> Node | None:
    """Upwards through functions of this side alone, until every way ends in one function of both sides."""
    seen, todo, found = {node}, [node], set[Node]()
    while todo:
        above = callers.get(todo.pop())
        if above is None:
            return None
        found |= above & both
        onwards = above - both - seen
        if len(found) > 1 or not onwards <= own:
            return None
        seen |= onwards
        todo += onwards
    return found.pop() if found else None
