# SPDX-License-Identifier: GPL-2.0-only
"""A profile's call paths, reduced to what the kernel does for one system call, fault or interrupt."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

from kassay.analysis.pairing import folded_functions
from kassay.errors import BadInput
from kassay.evidence.profile.entries import entry_at
from kassay.model.profile import Profile, base_name

_LEFT_OUT = ("user", "other", "idle")


class KernelPath(NamedTuple):
    """The own cost of one path, per operation."""

    entry: str
    functions: tuple[str, ...]
    """Functions from the kernel's entry inwards. A compiler's copies have the name of the original function."""
    at: int
    """Index of the function that handles the entry."""
    cost: float
    interrupt: bool = False
    """True if an interrupt came in, which belongs to no system call."""

    @property
    def function(self) -> str:
        """The system call's own function, the fault's handler; "" where there is no entry."""
        return self.functions[self.at] if self.entry else ""


class KernelPaths(NamedTuple):
    """All paths that the kernel executed for the workload."""

    paths: tuple[KernelPath, ...]
    calls: dict[str, float]
    """Entries of each function per operation."""
    total: float
    """All instructions per operation, user code included."""


def kernel_paths(profile: Profile, kernel_functions: Collection[str], total: float) -> KernelPaths:
    """Raises BadInput for a profile without call stacks."""
    if profile.stacks is None:
        raise BadInput(
            f"run {profile.run} has no call stacks", "measure with --profile auto or stacks, in another --out"
        )
    counts: dict[tuple[str, tuple[str, ...], int, bool], int] = {}
    user_paths = {stack.path[1:] for stack in profile.stacks if stack.path[0] == "user"}
    for stack in profile.stacks:
        if stack.path[0] in _LEFT_OUT:
            continue
        entry, at = _entry_in(stack.path)
        first = _kernel_begins(stack.path, at, kernel_functions, user_paths)
        key = (
            entry,
            tuple(map(base_name, stack.path[first:])),
            at - first if entry else 0,
            stack.path[0] == "interrupt",
        )
        counts[key] = counts.get(key, 0) + stack.count
    calls: dict[str, float] = {}
    for function in folded_functions(profile):
        if function.context not in _LEFT_OUT:
            name = function.function
            calls[name] = calls.get(name, 0) + function.calls / profile.operations
    paths = tuple(
        KernelPath(entry, functions, at, count / profile.operations, interrupt)
        for (entry, functions, at, interrupt), count in counts.items()
    )
    return KernelPaths(paths, calls, total)


def _entry_in(path: Sequence[str]) -> tuple[str, int]:
    """Same as entry_at(), with one look-up per function, as an application has some ten thousand paths."""
    for at, function in enumerate(path[1:], 1):
        if entry := _entry_of(function):
            return entry, at
    return "", len(path)


@cache
def _entry_of(function: str) -> str:
    return entry_at(("", function))[0]


def _kernel_begins(
    path: tuple[str, ...], at: int, kernel_functions: Collection[str], user_paths: Collection[tuple[str, ...]]
) -> int:
    """The first of the kernel's functions that lead to path[at] without a gap; what comes before them is user code,
    which may have functions of the same names."""
    first = at
    while first > 1 and path[first - 1] in kernel_functions and path[1:first] not in user_paths:
        first -= 1
    return first
