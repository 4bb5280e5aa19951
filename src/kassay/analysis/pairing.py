# SPDX-License-Identifier: GPL-2.0-only
"""Pairing of the functions of two profiles.

A function that only one kernel executes has its code in another one on the other kernel (holders). Copies that the
compiler made of a function (.isra, .part, .constprop, .cold) are merged into it (folded).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

import msgspec

from kassay.model.costs import counted
from kassay.model.profile import NO_SYMBOL, CallEdge, FunctionCost, Profile, StackCost, base_name

N = TypeVar("N", float, Fraction)
Node = tuple[str, str]
"""A function in a context. Edges do not name the place, so two functions of one name and context are one node."""


def mostly_cancel(one: N, other: N) -> bool:
    """True if two changes leave less than half of either: code or work went from one function to the other.

    This is the one rule for a single comparison and for a suite. How often the two must be called differs: one pair of
    profiles is exact, so that attribution.py takes equal numbers, and nearly equal ones only of names that are related.
    A suite sees the pair in many workloads, where causes.py takes nearly equal numbers, whatever the names are.
    """
    return 2 * abs(one + other) < min(abs(one), abs(other))


def holders(base: Profile, head: Profile) -> dict[Node, Node]:
    """Function that only one side executes -> its holder: both sides execute it, and every call comes through it.

    A compiler that inlines on one side only moves code between these two. A function stands
    alone, and is left out here, when its callers lead to several functions, to none, or
    when the edges do not explain every call of it.
    """
    executed = _executed(base), _executed(head)
    both = executed[0] & executed[1]
    holder_of: dict[Node, Node] = {}
    for profile, only_here in ((base, executed[0] - both), (head, executed[1] - both)):
        callers = _callers(profile)
        for node in only_here:
            holder = _holder(node, only_here, both, callers)
            if holder is not None:
                holder_of[node] = holder
    return holder_of


def _executed(profile: Profile) -> set[Node]:
    return {
        (function.function, function.context)
        for function in profile.functions
        if function.function != NO_SYMBOL and counted(function) > 0
    }


def _callers(profile: Profile) -> dict[Node, set[Node]]:
    """Callers of each function. Only functions whose every call is explained by the edges are listed."""
    entries: Counter[Node] = Counter()
    for function in profile.functions:
        entries[function.function, function.context] += function.calls
    explained: Counter[Node] = Counter()
    callers: dict[Node, set[Node]] = {}
    for edge in profile.edges:
        if edge.calls:
            explained[edge.callee, edge.context] += edge.calls
            callers.setdefault((edge.callee, edge.context), set()).add((edge.caller, edge.context))
    return {node: above for node, above in callers.items() if explained[node] >= entries[node]}


def _holder(node: Node, only_here: set[Node], both: set[Node], callers: Mapping[Node, set[Node]]) -> Node | None:
    """Upwards through functions of this side alone, until every way ends in one function of both sides."""
    visited, todo, shared = {node}, [node], set[Node]()
    while todo:
        above = callers.get(todo.pop())
        if above is None:
            return None
        shared |= above & both
        onwards = above - both - visited
        if len(shared) > 1 or not onwards <= only_here:
            return None
        visited |= onwards
        todo += onwards
    return shared.pop() if shared else None


_COUNTS = ("instructions", "iterations", "calls", "atomics", "tlb")


def folded(profile: Profile) -> Profile:
    """`profile` with every clone merged into its function.

    The function's calls are the entries into all copies, but for those that a copy itself leads to: into .cold parts,
    and into .part ones as far as the edges show it.
    """
    stacks = None if profile.stacks is None else _stacks(profile.stacks)
    return msgspec.structs.replace(
        profile, functions=folded_functions(profile), edges=_edges(profile.edges), stacks=stacks
    )


def folded_functions(profile: Profile) -> tuple[FunctionCost, ...]:
    """The functions of folded()."""
    inside: Counter[Node] = Counter()
    for edge in profile.edges:
        if ".part" in edge.callee and edge.caller != edge.callee and base_name(edge.caller) == base_name(edge.callee):
            inside[edge.callee, edge.context] += edge.calls
    merged: dict[tuple[str, str, str], FunctionCost] = {}
    for function in profile.functions:
        calls = 0 if ".cold" in function.function else function.calls - inside[function.function, function.context]
        renamed = msgspec.structs.replace(function, function=base_name(function.function), calls=calls)
        key = (renamed.function, renamed.place, renamed.context)
        merged[key] = _added(merged[key], renamed) if key in merged else renamed
    return tuple(merged.values())


def _added(a: FunctionCost, b: FunctionCost) -> FunctionCost:
    sums = {name: getattr(a, name) + getattr(b, name) for name in _COUNTS}
    for name in ("loads", "stores"):
        x, y = getattr(a, name), getattr(b, name)
        sums[name] = None if x is None or y is None else x + y
    return msgspec.structs.replace(a, lines=(*a.lines, *b.lines), **sums)


def _edges(edges: Iterable[CallEdge]) -> tuple[CallEdge, ...]:
    """Edges between functions; an edge from a function into its own clone is left out."""
    merged: dict[CallEdge, int] = {}
    for edge in edges:
        caller, callee = base_name(edge.caller), base_name(edge.callee)
        if caller != callee or edge.caller == edge.callee:
            key = msgspec.structs.replace(edge, caller=caller, callee=callee, calls=0)
            merged[key] = merged.get(key, 0) + edge.calls
    return tuple(msgspec.structs.replace(key, calls=calls) for key, calls in merged.items())


def _stacks(stacks: Iterable[StackCost]) -> tuple[StackCost, ...]:
    merged: dict[tuple[str, ...], int] = {}
    for stack in stacks:
        path = tuple(base_name(name) for name in stack.path)
        merged[path] = merged.get(path, 0) + stack.count
    return tuple(StackCost(path=path, count=count) for path, count in merged.items())
