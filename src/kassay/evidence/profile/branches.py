# SPDX-License-Identifier: GPL-2.0-only
"""Counts of blocks -> how often each conditional branch went each way.

What begins a block came there from somewhere: from a branch, a jump, a call or a block that was cut short. The counts
of all these places together bound the ways of each branch, and in most code decide them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.ends import End, Ran
from kassay.evidence.profile.place import Code
from kassay.evidence.profile.symbols import Symbols
from kassay.supply.arches import BRANCH, CALL, INDIRECT_CALL, JUMP, OTHER

_PASSES = 100
"""Rounds of narrowing; a chain of as many branches is settled even in the worst order."""


class Range(NamedTuple):
    """At least and at most so many times."""

    least: int
    most: int


class BranchWays(NamedTuple):
    """One conditional branch."""

    end: End
    target: int
    taken: Range

    @property
    def passed(self) -> Range:
        """How often the next instruction followed."""
        return Range(self.end.ran - self.taken.most, self.end.ran - self.taken.least)


class Flow(NamedTuple):
    """Destinations that the kernel's code led to."""

    decoded: tuple[tuple[End, Code], ...]
    """Every end of a block that ran."""
    branches: Mapping[int, BranchWays]
    """Conditional branches, by the address of the branch."""
    led: Mapping[int, Mapping[int, int]]
    """Times that a direct or indirect jump was taken: target -> site -> times."""
    resumed: Counter[int]
    """Upper limit of the blocks that were cut short at each address. Most of them resume there."""


def flow_of(raw: RawProfile, sums: Sequence[Mapping[int, int]], ran: Ran, symbols: Symbols) -> Flow:
    """sums: as those of `ran`."""
    decoded = tuple((end, end.decoded(raw.target)) for end in ran.ends)
    branches = {
        end.address: BranchWays(end, code.target, Range(0, end.ran))
        for end, code in decoded if code.end == BRANCH and code.target is not None
    }  # fmt: skip
    led: dict[int, Counter[int]] = defaultdict(Counter)
    for end, code in decoded:
        if code.end == JUMP and code.target is not None:
            led[code.target][end.address] += end.ran
    perhaps = _perhaps(raw, sums, decoded)
    # After a call the code goes on as often as calls return, which is not counted.
    entries = {branch.target for branch in branches.values() if _is_entry(branch.target, symbols)}
    called = {end.behind for end, code in decoded if code.end in (CALL, INDIRECT_CALL)}
    certain = Counter({target: sites.total() for target, sites in led.items()})
    settled = _settled(branches, ran.starts, certain, perhaps, frozenset(entries | called))
    for site, target, count in _indirect(raw, sums):
        led[target][site] += count
    return Flow(decoded, settled, led, _resumed(raw, sums))


def _is_entry(address: int, symbols: Symbols) -> bool:
    """True for the first instruction of a function, to which anything may lead."""
    function = symbols.function(address)
    return function is not None and function.entry == address


def _perhaps(raw: RawProfile, sums: Sequence[Mapping[int, int]], decoded: Sequence[tuple[End, Code]]) -> Counter[int]:
    """Ways into an address that may have been taken so often: by a pointer, after a cut, or on to the next block."""
    perhaps = _resumed(raw, sums)
    for _, target, count in _indirect(raw, sums):
        perhaps[target] += count
    for end, code in decoded:
        if code.end == OTHER:
            perhaps[end.behind] += end.ran
    return perhaps


def _indirect(raw: RawProfile, sums: Sequence[Mapping[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Address of the jump, address that it led to, times."""
    for counts in sums:
        for counter in raw.jumps.keys() & counts.keys():
            site, target = (raw.blocks[number] for number in raw.jumps[counter])
            yield site.address + sum(site.lengths[:-1]), target.address, counts[counter]


def _resumed(raw: RawProfile, sums: Sequence[Mapping[int, int]]) -> Counter[int]:
    """How often a block was cut short before each address; before any of its instructions where that is not known."""
    resumed: Counter[int] = Counter()
    for block, cuts in raw.cuts.items():
        address, lengths, _ = raw.blocks[block]
        for cut in cuts:
            count = sum(counts.get(cut.counter, 0) for counts in sums)
            for after in range(len(lengths)) if cut.after is None else (cut.after,):
                resumed[address + sum(lengths[:after])] += count
    return resumed


def _settled(
    branches: Mapping[int, BranchWays], starts: Mapping[int, int], certain: Mapping[int, int],
    perhaps: Mapping[int, int], open_: frozenset[int],
) -> dict[int, BranchWays]:  # fmt: skip
    """The branches with the narrowest ranges that the counts of what they lead to allow.

    starts: how often each address began a block. certain, perhaps: how often something else led there for certain, and
    at most more than that. open_: addresses to which anything may lead.
    """
    into: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for address, branch in branches.items():
        into[branch.target].append((address, True))
        into[branch.end.behind].append((address, False))
    ranges = {address: branch.taken for address, branch in branches.items()}
    waiting = set(into)
    for _ in range(_PASSES):
        changed: set[int] = set()
        for place in waiting:
            ways = [(address, taken, _way(ranges[address], branches[address].end.ran, taken))
                    for address, taken in into[place]]  # fmt: skip
            room = starts.get(place, 0) - certain.get(place, 0)
            least = sum(way.least for *_, way in ways)
            most = sum(way.most for *_, way in ways) + perhaps.get(place, 0)
            for address, taken, way in ways:
                high = min(way.most, room - (least - way.least))
                low = way.least if place in open_ else max(way.least, room - (most - way.most))
                if low > high:  # something led here that no count shows: what is known already stands
                    continue
                if (low, high) != way:
                    ranges[address] = _way(Range(low, high), branches[address].end.ran, taken)
                    changed |= {branches[address].target, branches[address].end.behind}
        waiting = changed
        if not waiting:
            break
    return {address: branch._replace(taken=ranges[address]) for address, branch in branches.items()}


def _way(taken: Range, ran: int, is_taken: bool) -> Range:
    """The range of one way of a branch from that of the taken one, and back."""
    return taken if is_taken else Range(ran - taken.most, ran - taken.least)
