# SPDX-License-Identifier: GPL-2.0-only
"""Cost of the sought functions in one profile or in two, by function and by entry."""

from math import fsum
from typing import NamedTuple

from kassay.labs.notice.model import SoughtEntry, SoughtFunction
from kassay.labs.notice.paths import KernelPaths
from kassay.labs.notice.subject import Sought


class Cost(NamedTuple):
    """Cost of the sought functions per operation."""

    base: float
    """Cost of all sought functions on base."""
    head: float | None
    """Cost of all sought functions on head; None if head was not measured."""
    functions: tuple[SoughtFunction, ...]
    entries: tuple[SoughtEntry, ...]

    @property
    def executed(self) -> bool:
        return bool(self.base or self.head)


class _Split(NamedTuple):
    by_function: dict[str, float]
    by_entry: dict[str, float]
    entries: dict[str, str]


def cost_of(sought: Sought, base: KernelPaths, head: KernelPaths | None) -> Cost:
    """Functions and entries with the largest cost first; only entries that lead to a sought function."""
    before, after = _split(sought, base), None if head is None else _split(sought, head)
    functions = sorted(
        (_function(name, sought, before, after, base, head) for name in sought.whole | sought.alone),
        key=lambda row: (-max(row.base or 0, row.head or 0), row.function),
    )
    names = {**before.by_entry, **(after.by_entry if after else {})}
    entries = sorted(
        (_entry(name, before, after, base, head) for name in names),
        key=lambda row: (-max(row.base or 0, row.head or 0), row.entry),
    )
    total = None if after is None else fsum(after.by_function.values())
    return Cost(fsum(before.by_function.values()), total, tuple(functions), tuple(entries))


def _split(sought: Sought, side: KernelPaths) -> _Split:
    split = _Split({}, {}, {})
    for path in side.paths:
        if name := sought.match(path):
            split.by_function[name] = split.by_function.get(name, 0) + path.cost
            split.by_entry[path.entry] = split.by_entry.get(path.entry, 0) + path.cost
            split.entries[path.entry] = path.function
    return split


def _function(
    name: str, sought: Sought, before: _Split, after: _Split | None, base: KernelPaths, head: KernelPaths | None
) -> SoughtFunction:
    return SoughtFunction(
        function=name, whole=name in sought.whole,
        base=before.by_function.get(name, 0.0), head=None if after is None else after.by_function.get(name, 0.0),
        base_calls=base.calls.get(name, 0.0), head_calls=None if head is None else head.calls.get(name, 0.0),
    )  # fmt: skip


def _entry(name: str, before: _Split, after: _Split | None, base: KernelPaths, head: KernelPaths | None) -> SoughtEntry:
    return SoughtEntry(
        entry=name, base=before.by_entry.get(name, 0.0),
        head=None if after is None else after.by_entry.get(name, 0.0),
        base_calls=_entries(name, before, base),
        head_calls=None if after is None or head is None else _entries(name, after, head),
    )  # fmt: skip


def _entries(entry: str, split: _Split, side: KernelPaths) -> float | None:
    """Number of times that the kernel was entered this way. None if the entry has no function of its own."""
    return side.calls.get(split.entries.get(entry, "")) if entry else None
