# SPDX-License-Identifier: GPL-2.0-only
"""Conditional branches inside changed functions: which of their two ways a run took, by counts of blocks."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.ends import kernel_ran
from kassay.evidence.profile.functions import executed_in_region
from kassay.evidence.profile.line_table import named_frames
from kassay.model.lines import LineTable
from kassay.supply.arches import BRANCH


class Way(NamedTuple):
    """One way out of a conditional branch."""

    function: str
    path: str
    line: int
    address: int
    """Address of the branch's block."""
    taken: bool


class Ways(NamedTuple):
    """Ways out of the branches that one run executed."""

    took: frozenset[Way]
    missed: frozenset[Way]
    open: frozenset[Way]
    """Ways of which the counts do not tell: both successors ran, and others lead there, too."""


def ways_of(raw: RawProfile, table: LineTable, functions: Collection[str]) -> Ways:
    """The ways of the branches whose line is in one of these functions, in the whole measured region.

    A branch that ran n times took the way to its target for certain if the next instruction ran fewer than n times, and
    the way to the next instruction if the target ran fewer than n times.
    """
    ran = kernel_ran(raw, raw.sums(range(raw.rounds + 1), range(raw.intervals)))
    frames = named_frames(table)
    took: set[Way] = set()
    missed: set[Way] = set()
    unknown: set[Way] = set()
    for end in ran.ends:
        frame = frames.get(end.address)
        if frame is None or frame.function not in functions:
            continue
        decoded = end.decoded(raw.target)
        if decoded.end != BRANCH or decoded.target is None:
            continue
        for taken, there, other in ((True, decoded.target, end.behind), (False, end.behind, decoded.target)):
            way = Way(frame.function, frame.file or "", frame.line or 0, end.address, taken)
            if not ran.counts[there]:
                missed.add(way)
            elif ran.counts[other] < end.ran:
                took.add(way)
            else:
                unknown.add(way)
    return Ways(frozenset(took), frozenset(missed), frozenset(unknown - took))


def functions_executed(table: LineTable, raw: RawProfile) -> frozenset[str]:
    """Every function of the sources that ran in the measured region, inlined ones included."""
    executed = executed_in_region(raw)
    chains = {chain for address, chain in table.places if address in executed}
    return frozenset(frame.function for chain in chains for frame in table.chains[chain])


def together(runs: Iterable[Ways]) -> Ways:
    """The ways of several runs of one kernel: a way is missed if every run missed it."""
    listed = tuple(runs)
    took = frozenset().union(*(ways.took for ways in listed))
    unknown = frozenset().union(*(ways.open for ways in listed)) - took
    missed = frozenset().union(*(ways.missed for ways in listed)) - took - unknown
    return Ways(took, missed, unknown)
