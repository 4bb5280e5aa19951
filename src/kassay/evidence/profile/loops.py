# SPDX-License-Identifier: GPL-2.0-only
"""Loops of one function, from the flow of its executed instructions."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from kassay.evidence.profile.branches import Flow, Range
from kassay.evidence.profile.ends import Ran
from kassay.supply.arches import CALL, INDIRECT_CALL, OTHER

_Edges = Mapping[int, Mapping[int, Range]]
"""Address -> address that it led to -> times."""


class FoundLoop(NamedTuple):
    """A loop that one instruction leads into."""

    head: int
    """First instruction, through which every iteration comes."""
    iterations: int
    entered: Range


def loops(ran: Ran, flow: Flow, inside: Collection[int], entry: int) -> tuple[FoundLoop, ...]:
    """inside: addresses of the function's instructions that ran. entry: its first one.

    A loop is where a jump leads back to an instruction that every way to the jump came through. In order of addresses.
    """
    edges = _edges(ran, flow, frozenset(inside))
    before: dict[int, set[int]] = defaultdict(set)
    for address, targets in edges.items():
        for target in targets:
            before[target].add(address)
    through = _dominators(edges, before, entry)
    found = []
    for head in sorted(before):
        back = [edges[address][head] for address in before[head] if head in through.get(address, ())]
        if back:
            count = ran.counts[head]
            entered = Range(max(count - sum(way.most for way in back), 0), count - sum(way.least for way in back))
            found.append(FoundLoop(head, count, entered))
    return tuple(found)


def _edges(ran: Ran, flow: Flow, inside: frozenset[int]) -> _Edges:
    """The ways between instructions of the function that were taken, or may have been."""
    edges: dict[int, dict[int, Range]] = defaultdict(dict)
    for end, code in flow.decoded:
        at = end.start
        for length in end.lengths[:-1]:
            if at in inside:
                straight = ran.counts[at + length] - ran.starts[at + length]
                edges[at][at + length] = Range(straight, straight + flow.resumed[at + length])
            at += length
        if end.address not in inside:
            continue
        if end.address in flow.branches:
            branch = flow.branches[end.address]
            for target, way in ((branch.target, branch.taken), (end.behind, branch.passed)):
                edges[end.address][target] = way
        elif code.end in (OTHER, CALL, INDIRECT_CALL):
            edges[end.address][end.behind] = Range(0, min(end.ran, ran.counts[end.behind]))
    for target, sites in flow.led.items():
        for site, count in sites.items():
            if site in inside:
                edges[site][target] = Range(count, count)
    return {
        address: {target: way for target, way in targets.items() if way.most and target in inside}
        for address, targets in edges.items()
    }


def _dominators(edges: _Edges, before: Mapping[int, Collection[int]], entry: int) -> dict[int, frozenset[int]]:
    """For each instruction that can be reached: those that every way to it comes through, itself included."""
    order = list(_preorder(edges, entry))
    every = frozenset(order)
    through = dict.fromkeys(order, every) | {entry: frozenset({entry})}
    changed = True
    while changed:
        changed = False
        for address in order[1:]:
            ways = [through[other] for other in before[address] if other in through]
            new = frozenset.intersection(*ways) | {address}
            if new != through[address]:
                through[address], changed = new, True
    return through


def _preorder(edges: _Edges, entry: int) -> Iterator[int]:
    seen, waiting = {entry}, [entry]
    while waiting:
        address = waiting.pop()
        yield address
        for target in edges.get(address, ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
