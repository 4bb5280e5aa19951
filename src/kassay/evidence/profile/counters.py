# SPDX-License-Identifier: GPL-2.0-only
"""The content of the plugin's file, as parse() of raw.py returns it; counts are stored as changes, as in the file."""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeAlias

CONTEXTS_IN_FILE = 8
"""A slot is interval * 8 + context: workload, interrupt, other, idle, and four of deferred work."""

CONTEXTS_IN_FILE_1 = 4
"""Number of contexts in a file of version 1, which has no deferred work. parse() numbers its slots as in version 2."""

INTERRUPT, OTHER, IDLE = 1, 2, 3
DEFERRED = range(4, CONTEXTS_IN_FILE)

Change: TypeAlias = tuple[int, tuple[int, ...]]
"""Since which round, and the counts since then: slot, count, slot, count ..."""


class ProfileError(Exception):
    """A profile that cannot be read; one line: where and what."""


class CodeBlock(NamedTuple):
    """A translation block."""

    address: int
    lengths: bytes
    """Bytes of each instruction."""
    code: bytes


class Cut(NamedTuple):
    """A block was left after so many instructions; None: the number is not known."""

    counter: int
    after: int | None


class Jump(NamedTuple):
    """Block SITE led to block TARGET through a pointer."""

    site: int
    target: int


class Node(NamedTuple):
    """A function of the call tree. address 0: no function, the root of the tree."""

    parent: int | None
    address: int


class DeferredCount(NamedTuple):
    """Objects of one kind of deferred work that the workload queued in the region."""

    context: int
    """Context of the file in which their functions ran."""
    queued: int
    ended: int
    """Number of objects that had run when the region ended."""
    outstanding: int
    """Number of objects that were waiting or running when the region ended. A cancelled object is neither."""


def add_to_round(changes: list[Change], number: int, slot: int, count: int) -> None:
    """Adds to one round alone, in place; the rounds after it stay as they are."""
    at = next((index for index in reversed(range(len(changes))) if changes[index][0] <= number), -1)
    since, before = changes[at] if at >= 0 else (-1, ())
    counts = dict(zip(before[::2], before[1::2], strict=True))
    counts[slot] = counts.get(slot, 0) + count
    flat = tuple(word for item in counts.items() if item[1] for word in item)
    behind = () if at + 1 < len(changes) and changes[at + 1][0] == number + 1 else ((number + 1, before),)
    changes[at if since == number else at + 1 : at + 1] = [(number, flat), *behind]


@dataclass(frozen=True, eq=False)
class RawProfile:
    """The file's content. Counters are known by their number."""

    mode: str
    target: str
    api: int
    intervals: int
    rounds: int
    """Rounds of the file, without the part before the first (file round 0)."""
    blocks: dict[int, CodeBlock]
    cuts: dict[int, list[Cut]]
    """Cuts by block."""
    iterations: dict[int, int]
    """Block by counter."""
    jumps: dict[int, Jump]
    nodes: dict[int, Node]
    loads: dict[int, int]
    """Block by counter."""
    stores: dict[int, int]
    """Block by counter."""
    changes: list[list[Change]]
    """Changes by counter, in order of rounds."""
    tasks: tuple[tuple[int, str], ...]
    """Tasks as (address of the task, own, other or idle)."""
    halting: int | None
    """Counter of the times that a CPU was halted, if there is one."""
    marks: int
    lost: int
    switches: int | None = None
    """Begins of the kernel's task switch; None in files of an earlier plugin."""
    missed: int | None = None
    """Task switches of which the plugin did not see the new task; None in files of an earlier plugin."""
    zone_locks: int = 0
    """Number of times that the lock of a zone was taken in the whole region, gaps between rounds included."""
    zone_handovers: int = 0
    """Part of zone_locks: taken by another CPU than the time before."""
    entered: dict[int, int] = field(default_factory=dict)
    """Node by counter, for nodes that are entries into the kernel; empty in files of an earlier plugin."""
    deferred: tuple[DeferredCount, ...] = ()
    """Kinds of deferred work that the plugin could follow in this kernel; none in files of version 1."""

    def counts(self, number: int) -> dict[int, dict[int, int]]:
        """One round of the file (0: what precedes the first): counter -> slot -> count."""
        by_counter = {}
        for counter, changes in enumerate(self.changes):
            flat = next((flat for since, flat in reversed(changes) if since <= number), ())
            if flat:
                by_counter[counter] = dict(zip(flat[::2], flat[1::2], strict=True))
        return by_counter

    def sums(self, rounds: Collection[int], intervals: Collection[int]) -> tuple[dict[int, int], ...]:
        """Counts by counter, for each context of the file, added up over these rounds of the file and these
        intervals."""
        chosen = [int(number in rounds) for number in range(self.rounds + 1)]
        before = list(accumulate(chosen, initial=0))
        wanted = [slot // CONTEXTS_IN_FILE in intervals for slot in range(self.intervals * CONTEXTS_IN_FILE)]
        totals: tuple[dict[int, int], ...] = tuple({} for _ in range(CONTEXTS_IN_FILE))
        for counter, changes in enumerate(self.changes):
            end = before[-1]
            for since, flat in reversed(changes):
                times = end - before[since]
                end = before[since]
                if times:
                    for slot, count in zip(flat[::2], flat[1::2], strict=True):
                        if wanted[slot]:
                            into = totals[slot % CONTEXTS_IN_FILE]
                            into[counter] = into.get(counter, 0) + times * count
        return totals
