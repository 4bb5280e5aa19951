# SPDX-License-Identifier: GPL-2.0-only
"""A profile -> cost of each kernel function it executed, per operation: a part of the atlas."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from itertools import dropwhile
from typing import NamedTuple

from kassay.analysis.pairing import folded
from kassay.model.costs import counted
from kassay.model.profile import CallEdge, Profile
from kassay.model.records import grouped

_LEFT_OUT = ("user", "other", "idle")
"""Contexts that are no kernel code run for the workload."""
_CALLERS = 3


class FunctionShare(NamedTuple):
    """Cost of one function per operation, interrupts and deferred work included."""

    function: str
    """A compiler's copies have the name of the original function."""
    own: float
    """Instructions + string iterations of the function itself."""
    whole: float | None
    """The same with all that it calls; None without call stacks."""
    calls: float
    """Entries into the function."""
    callers: tuple[str, ...] = ()
    """Functions that called it most often, at most three."""


def function_costs(profile: Profile) -> tuple[FunctionShare, ...]:
    """Executed kernel functions, the most expensive first. Empty for a profile that may not be used."""
    if profile.problem or not profile.operations:
        return ()
    profile = folded(profile)
    own, calls, whole = Counter[str](), Counter[str](), Counter[str]()
    for cost in profile.functions:
        if cost.context not in _LEFT_OUT:
            own[cost.function] += counted(cost)
            calls[cost.function] += cost.calls
    user_paths = {stack.path[1:] for stack in profile.stacks or () if stack.path[0] == "user"}
    for stack in profile.stacks or ():
        if stack.path[0] not in _LEFT_OUT:
            for name in _kernel_part(stack.path[1:], user_paths, own):
                whole[name] += stack.count
    callers = grouped((edge.callee, edge) for edge in profile.edges if edge.context not in _LEFT_OUT)
    shares = [
        FunctionShare(
            name, own[name] / profile.operations, None if profile.stacks is None else whole[name] / profile.operations,
            calls[name] / profile.operations, _most_frequent(callers.get(name, ())),
        )
        for name in own | whole
    ]  # fmt: skip
    return tuple(sorted(shares, key=lambda share: (-share.own, share.function)))


def _kernel_part(path: tuple[str, ...], user_paths: Set[tuple[str, ...]], own: Mapping[str, int]) -> set[str]:
    """Kernel functions of a stack: what follows the user code that entered the kernel, and there the first function
    that has costs. One that waited for its callees all the time has no instruction of its own."""
    entry = next((depth for depth in range(len(path), 0, -1) if path[:depth] in user_paths), 0)
    return set(dropwhile(lambda name: name not in own, path[entry:]))


def _most_frequent(edges: Iterable[CallEdge]) -> tuple[str, ...]:
    calls = Counter[str]()
    for edge in edges:
        calls[edge.caller] += edge.calls
    return tuple(sorted(calls, key=lambda name: (-calls[name], name))[:_CALLERS])
