# SPDX-License-Identifier: GPL-2.0-only
"""Conditional branches inside changed functions: which of their two ways a run took, by counts of blocks."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from kassay.evidence.profile.costs import times
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.functions import executed_in_region
from kassay.evidence.profile.line_table import named_frames
from kassay.evidence.profile.place import decode
from kassay.evidence.profile.symbols import is_kernel
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
    counts, blocks = _counts(raw)
    frames = named_frames(table)
    took: set[Way] = set()
    missed: set[Way] = set()
    unknown: set[Way] = set()
    for address, lengths, code, ran in blocks:
        last = address + sum(lengths[:-1])
        frame = frames.get(last)
        if frame is None or frame.function not in functions:
            continue
        decoded = decode(raw.target, address, lengths, code)
        if decoded.end != BRANCH or decoded.target is None:
            continue
        for taken, there, other in (
            (True, decoded.target, address + len(code)), (False, address + len(code), decoded.target),
        ):  # fmt: skip
            way = Way(frame.function, frame.file or "", frame.line or 0, last, taken)
            if not counts[there]:
                missed.add(way)
            elif counts[other] < ran:
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


def _counts(raw: RawProfile) -> tuple[Counter[int], list[tuple[int, bytes, bytes, int]]]:
    """Executions of each address of the kernel, and the blocks that ran to their end: address, lengths, code, times."""
    counts: Counter[int] = Counter()
    blocks = []
    for sums in raw.sums(range(raw.rounds + 1), range(raw.intervals)):
        for number, ran in times(raw, sums).items():
            address, lengths, code = raw.blocks[number]
            if not is_kernel(address):
                continue
            at = address
            for index, length in enumerate(lengths):
                counts[at] += ran if isinstance(ran, int) else ran[index]
                at += length
            whole = ran if isinstance(ran, int) else ran[-1]
            if whole:
                blocks.append((address, lengths, code, whole))
    return counts, _merged(blocks)


def _merged(blocks: Iterable[tuple[int, bytes, bytes, int]]) -> list[tuple[int, bytes, bytes, int]]:
    """Blocks that end with the same instruction, as one: the branch ran as often as all of them together."""
    ends: dict[int, tuple[int, bytes, bytes, int]] = {}
    for address, lengths, code, ran in blocks:
        end = address + sum(lengths[:-1])
        before = ends.get(end)
        ends[end] = (address, lengths, code, ran + (before[3] if before else 0))
    return list(ends.values())
