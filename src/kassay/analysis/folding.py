# SPDX-License-Identifier: GPL-2.0-only
"""Copies that the compiler made of a function (.isra, .part, .constprop, .cold), merged into it."""

from collections.abc import Iterable

import msgspec

from kassay.model.profile import CallEdge, FunctionCost, Profile, StackCost, base_name

_COUNTS = ("instructions", "iterations", "calls", "atomics", "tlb")


def folded(profile: Profile) -> Profile:
    """`profile` with every clone merged into its function.

    The function's calls are the entries into all copies but .cold ones, which are entered by a jump from inside.
    """
    stacks = None if profile.stacks is None else _stacks(profile.stacks)
    return msgspec.structs.replace(
        profile, functions=_functions(profile.functions), edges=_edges(profile.edges), stacks=stacks
    )


def _functions(functions: Iterable[FunctionCost]) -> tuple[FunctionCost, ...]:
    found: dict[tuple[str, str, str], FunctionCost] = {}
    for one in functions:
        inside = ".cold" in one.function
        renamed = msgspec.structs.replace(one, function=base_name(one.function), calls=0 if inside else one.calls)
        key = (renamed.function, renamed.place, renamed.context)
        found[key] = _added(found[key], renamed) if key in found else renamed
    return tuple(found.values())


def _added(a: FunctionCost, b: FunctionCost) -> FunctionCost:
    sums = {name: getattr(a, name) + getattr(b, name) for name in _COUNTS}
    for name in ("loads", "stores"):
        x, y = getattr(a, name), getattr(b, name)
        sums[name] = None if x is None or y is None else x + y
    return msgspec.structs.replace(a, **sums)


def _edges(edges: Iterable[CallEdge]) -> tuple[CallEdge, ...]:
    """Edges between functions; a way from a function into its own clone is none any more."""
    found: dict[CallEdge, int] = {}
    for edge in edges:
        caller, callee = base_name(edge.caller), base_name(edge.callee)
        if caller != callee or edge.caller == edge.callee:
            key = msgspec.structs.replace(edge, caller=caller, callee=callee, calls=0)
            found[key] = found.get(key, 0) + edge.calls
    return tuple(msgspec.structs.replace(key, calls=calls) for key, calls in found.items())


def _stacks(stacks: Iterable[StackCost]) -> tuple[StackCost, ...]:
    found: dict[tuple[str, ...], int] = {}
    for one in stacks:
        path = tuple(base_name(name) for name in one.path)
        found[path] = found.get(path, 0) + one.count
    return tuple(StackCost(path=path, count=count) for path, count in found.items())
