# SPDX-License-Identifier: GPL-2.0-only
"""A run's profile -> branches and loops of one function, inlined copies included where line tables find them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from kassay.evidence.profile.branches import BranchWays, Flow, Range, flow_of
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.ends import kernel_ran
from kassay.evidence.profile.loops import loops
from kassay.evidence.profile.place import last_mnemonic
from kassay.evidence.profile.symbols import FunctionSymbol, Symbols
from kassay.evidence.profile.totals import intervals_of
from kassay.model.branches import Branch, CodePlace, FunctionBranches, Loop, Times
from kassay.model.guest import GuestReport
from kassay.model.lines import Frame, LineTable
from kassay.model.profile import base_name
from kassay.supply.arches import CALL, JUMP


def branches_of(
    raw: RawProfile, symbols: Symbols, report: GuestReport, function: str, *, phase: str, rounds: Sequence[int],
    lines: LineTable | None = None,
) -> FunctionBranches:  # fmt: skip
    """rounds: from 0. function: its name in the sources; the compiler's copies of it (.isra.0, .cold) belong to it."""
    sums = raw.sums([number + 1 for number in rounds], intervals_of(report, phase))
    ran = kernel_ran(raw, sums)
    flow = flow_of(raw, sums, ran, symbols)
    frames = {} if lines is None else {address: lines.chains[chain] for address, chain in lines.places}
    found = _Function(function, symbols, frames, sorted(address for address, count in ran.counts.items() if count))
    branches = [
        Branch(
            place=found.place(branch.end.address), instruction=last_mnemonic(raw.target, *branch.end[2:4]),
            leads_to=branch.target - found.start(branch.end.address), executed=branch.end.ran,
            taken=_times(branch.taken), passed=_times(branch.passed),
        )
        for branch in sorted(flow.branches.values(), key=_address) if branch.end.address in found.addresses
    ]  # fmt: skip
    heads = {  # a copy that goes on in another one shares the loops in there
        loop.head: Loop(place=found.place(loop.head), entered=_times(loop.entered), iterations=loop.iterations)
        for entry, inside in found.bodies() for loop in loops(ran, flow, inside, entry)
        if loop.head in found.addresses
    }  # fmt: skip
    calls = sum(ran.counts[copy.entry] - _from_inside(copy, found, flow) for copy in found.copies())
    return FunctionBranches(
        branches=tuple(branches), loops=tuple(heads[head] for head in sorted(heads)), calls=calls,
        has_lines=lines is not None,
    )  # fmt: skip


def _from_inside(part: FunctionSymbol, found: "_Function", flow: Flow) -> int:
    """Times that another copy of the function went on in this one, which is no call if this is a part (.part.0)."""
    if ".part" not in part.name:
        return 0
    ways = [(end.address, code.target, end.ran) for end, code in flow.decoded if code.end in (CALL, JUMP)]
    ways += [(site, branch.target, branch.taken.least) for site, branch in flow.branches.items()]
    return sum(
        count for site, target, count in ways if target == part.entry and found.copy_at(site) not in (None, part)
    )


def _address(branch: BranchWays) -> int:
    return branch.end.address


def _times(count: Range) -> Times:
    return Times(least=count.least, most=count.most)


class _Function:
    """The executed instructions of a function, by the symbols that they are compiled into."""

    def __init__(
        self, name: str, symbols: Symbols, frames: dict[int, tuple[Frame, ...]], executed: Sequence[int]
    ) -> None:
        self._name, self._frames = name, frames
        self._symbols: dict[int, FunctionSymbol] = {}
        bodies: dict[tuple[str, str], list[int]] = defaultdict(list)
        for address in executed:
            symbol = symbols.function(address)
            if symbol is not None:
                self._symbols[address] = symbol
                bodies[base_name(symbol.name), symbol.place].append(address)
        self._bodies = bodies
        self.addresses = frozenset(
            address for address in self._symbols
            if base_name(self._symbols[address].name) == name
            or any(frame.function == name for frame in frames.get(address, ()))
        )  # fmt: skip

    def start(self, address: int) -> int:
        """Start of the symbol that an instruction lies in."""
        return self._symbols[address].start

    def place(self, address: int) -> CodePlace:
        symbol = self._symbols[address]
        return CodePlace(symbol=symbol.name, offset=address - symbol.start, frames=self._frames.get(address, ()))

    def copies(self) -> frozenset[FunctionSymbol]:
        """The symbols of the function itself, which calls lead to."""
        own = filter(None, map(self.copy_at, self.addresses))
        return frozenset(symbol for symbol in own if ".cold" not in symbol.name)

    def copy_at(self, address: int) -> FunctionSymbol | None:
        """The symbol of the function itself that an instruction lies in; None in other functions."""
        symbol = self._symbols.get(address)
        return symbol if symbol is not None and base_name(symbol.name) == self._name else None

    def bodies(self) -> Iterator[tuple[int, list[int]]]:
        """First instruction and all executed ones of each symbol that holds a part of the function."""
        for body in self._bodies.values():
            entries = {self._symbols[at].entry for at in body if ".cold" not in self._symbols[at].name}
            if self.addresses.isdisjoint(body) or not entries:
                continue
            for entry in sorted(entries):
                yield entry, body
