# SPDX-License-Identifier: GPL-2.0-only
"""A profile's call paths, cut down to what the kernel does on behalf of one system call, fault or interrupt."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.model.profile import Profile, base_name
from kassay.profile.entries import entry_at

_LEFT_OUT = ("user", "other", "idle")


class KernelPath(NamedTuple):
    """What one path cost itself, per operation. functions: from the kernel's entry inwards, a compiler's copies under
    the name of the function they were made of. at: of these the one that began what the entry is. interrupt: whether an
    interrupt came in, which is on behalf of nobody."""

    entry: str
    functions: tuple[str, ...]
    at: int
    cost: float
    interrupt: bool = False

    @property
    def function(self) -> str:
        """The system call's own function, the fault's handler; "" where there is no entry."""
        return self.functions[self.at] if self.entry else ""


class KernelPaths(NamedTuple):
    """All that the kernel did for the workload. calls: entries of each function per operation. total: of all
    instructions per operation, user code included."""

    paths: tuple[KernelPath, ...]
    calls: dict[str, float]
    total: float


def kernel_paths(profile: Profile, known: Collection[str], total: float) -> KernelPaths:
    """known: names of the kernel's functions. Raises BadInput for a profile without call stacks."""
    if profile.stacks is None:
        raise BadInput(
            f"run {profile.run} has no call stacks", "measure with --profile auto or stacks, in another --out"
        )
    found: dict[tuple[str, tuple[str, ...], int, bool], int] = {}
    for stack in profile.stacks:
        if stack.path[0] in _LEFT_OUT:
            continue
        entry, at = _entry_in(stack.path)
        first = _kernel_begins(stack.path, at, known)
        key = (
            entry,
            tuple(map(base_name, stack.path[first:])),
            at - first if entry else 0,
            stack.path[0] == "interrupt",
        )
        found[key] = found.get(key, 0) + stack.count
    calls: dict[str, float] = {}
    for one in profile.functions:
        if one.context not in _LEFT_OUT:
            name = base_name(one.function)
            calls[name] = calls.get(name, 0) + one.calls / profile.operations
    paths = tuple(
        KernelPath(entry, functions, at, count / profile.operations, interrupt)
        for (entry, functions, at, interrupt), count in found.items()
    )
    return KernelPaths(paths, calls, total)


def _entry_in(path: Sequence[str]) -> tuple[str, int]:
    """As entry_at(), which is asked once for each function: an application has some ten thousand paths."""
    for at, function in enumerate(path[1:], 1):
        if entry := _entry_of(function):
            return entry, at
    return "", len(path)


@cache
def _entry_of(function: str) -> str:
    return entry_at(("", function))[0]


def _kernel_begins(path: Sequence[str], at: int, known: Collection[str]) -> int:
    """The first of the kernel's functions that lead to path[at] without a gap; what stands before them is user code."""
    first = at
    while first > 1 and path[first - 1] in known:
        first -= 1
    return first
