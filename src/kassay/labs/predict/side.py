# SPDX-License-Identifier: GPL-2.0-only
"""One side of a prediction: a trace that was replayed on a CPU -> time per operation, by cause and by function."""

from collections import Counter
from collections.abc import Mapping
from math import fsum
from types import MappingProxyType
from typing import NamedTuple

from kassay.model.prediction import CAUSES
from kassay.model.reason import Reason
from kassay.model.records import Record
from kassay.supply.cpus import Cpu, NeedlessMitigation


class ReplayedRow(Record, frozen=True, kw_only=True):
    """Time of one function for one cause, in hundredths of a cycle, in one interval of one predicted round."""

    round: int
    interval: int
    function: str
    cause: str
    cycles100: int
    instructions: int


class PlacedInterval(Record, frozen=True, kw_only=True):
    """Time of the measured task in one interval of one round, in hundredths of a cycle, with one placement."""

    placement: int
    """From 0."""
    round: int
    interval: int
    cycles100: int


class Replay(Record, frozen=True, kw_only=True):
    """One trace on one CPU."""

    rounds: tuple[int, ...]
    """Rounds that were predicted, in order."""
    complete: int
    """Complete rounds of the trace."""
    asked: int
    """Rounds that the trace was asked for."""
    cut: bool
    """True if its budget ended the trace."""
    rows: tuple[ReplayedRow, ...]
    unknown: tuple[str, ...] = ()
    """Forms of instructions without data, most frequent first."""
    others: tuple[tuple[int, int, int], ...] = ()
    """Round, interval and instructions of interrupts and other tasks, whose time is not in the rows."""
    accesses: tuple[tuple[int, int, int], ...] = ()
    """Round, interval, and loads and stores that the measured task executed."""
    cpus: int = 1
    """Number of CPUs that executed."""
    placements: int = 1
    """Number of placements of pages in physical memory that the rows are sums of."""
    placed: tuple[PlacedInterval, ...] = ()
    """Time with each placement; empty if there is one."""
    left_out: tuple[str, ...] = ()
    """Reasons why rounds that were recorded are not predicted."""


class TracedSide(NamedTuple):
    """One kernel's side."""

    replay: Replay | None
    """Replay of the side's trace; None if there is none, and `problem` is the reason then."""
    operations: int = 0
    """Operations of a round of the metric."""
    intervals: range = range(0)
    """Intervals of a round that the metric covers."""
    chosen: frozenset[int] = frozenset()
    """Rounds (the first of a run is 1) that the counted value stands for. The others were disturbed."""
    problem: Reason | None = None
    cpu: str = ""
    """Name by which its machine's CPU was asked for, or ""."""
    lacking: tuple[str, ...] = ()
    """Features by which a C library chooses functions, and which its machine's CPU lacked."""
    needless: tuple[NeedlessMitigation, ...] = ()
    """Mitigations that its kernel used and would not use on the predicted CPU."""
    huge_kb: int = 0
    """Memory in anonymous huge pages, kB."""

    @property
    def rounds(self) -> tuple[int, ...]:
        """Answered for and steady; where none is steady, all that are answered for."""
        answered = self.replay.rounds if self.replay is not None else ()
        return tuple(number for number in answered if number in self.chosen) or answered


class OnCpu(NamedTuple):
    """The CPU whose time is predicted."""

    name: str
    calibrated: bool
    ghz: float
    """Number by which cycles are divided."""
    model: str
    """Content of timing file and core."""
    weights: Mapping[str, float] = MappingProxyType({})
    """Factor of each cause's time; 1 for a cause that is not named."""
    guest: str = ""
    """Name by which QEMU may be asked for it, where that is another one."""
    real: Cpu | None = None
    """The CPU as it is known to QEMU; None if it is not."""


class Share(NamedTuple):
    """Share of one cause, per operation: ns, and the instructions that waited for it or that it hid."""

    ns: float = 0.0
    instructions: float = 0.0


Shares = Mapping[str, Share]
"""Share of each cause."""


class SideTime(NamedTuple):
    """One side: ns of each round answered for and with each placement, shares of all functions together and of
    each."""

    rounds: tuple[float, ...]
    placed: tuple[float, ...]
    causes: Shares
    functions: Mapping[str, Shares]

    @property
    def ns(self) -> float:
        return fsum(share.ns for share in self.causes.values())

    @property
    def ns_by_cause(self) -> dict[str, float]:
        return {cause: share.ns for cause, share in self.causes.items()}

    @property
    def executed(self) -> float:
        return fsum(share.instructions for share in self.causes.values())

    def ns_in(self, function: str) -> float:
        return fsum(share.ns for share in self.functions.get(function, {}).values())

    def executed_in(self, function: str) -> float:
        return fsum(share.instructions for share in self.functions.get(function, {}).values())


def side_time(side: TracedSide, replay: Replay, cpu: OnCpu) -> SideTime:
    """Time of one side per operation.

    Sums of a cause are made of whole hundredths of a cycle, so that rows and causes have one total.
    """
    per, many = 100 * cpu.ghz * side.operations * replay.placements, len(side.rounds)
    rounds: dict[int, float] = dict.fromkeys(side.rounds, 0.0)
    sums: dict[str, dict[str, tuple[int, int]]] = {}
    for row in replay.rows:
        if row.interval in side.intervals and row.round in rounds:
            rounds[row.round] += row.cycles100 * cpu.weights.get(row.cause, 1.0)
            by_cause = sums.setdefault(row.function, {})
            cycles, executed = by_cause.get(row.cause, (0, 0))
            by_cause[row.cause] = (cycles + row.cycles100, executed + row.instructions)

    def share(cause: str, cycles: int, executed: int) -> Share:
        executions = side.operations * replay.placements * many
        return Share(cycles * cpu.weights.get(cause, 1.0) / per / many, executed / executions)

    causes = sorted({cause for by_cause in sums.values() for cause in by_cause}, key=cause_order)
    wholes = {
        cause: [sum(by_cause.get(cause, (0, 0))[i] for by_cause in sums.values()) for i in (0, 1)] for cause in causes
    }  # fmt: skip
    ns = tuple(cycles / per for cycles in rounds.values())
    return SideTime(
        ns, _placed(side, replay, fsum(ns) / many),
        {cause: share(cause, *whole) for cause, whole in wholes.items()},
        {name: {cause: share(cause, *values) for cause, values in by_cause.items()} for name, by_cause in sums.items()},
    )  # fmt: skip


def _placed(side: TracedSide, replay: Replay, ns: float) -> tuple[float, ...]:
    """Time with each placement, whose mean is ns; empty if there is one. Weights of causes are in ns alone."""
    sums: Counter[int] = Counter()
    for one in replay.placed:
        if one.interval in side.intervals and one.round in side.rounds:
            sums[one.placement] += one.cycles100
    return tuple(ns * cycles * len(sums) / sums.total() for cycles in sums.values()) if sums.total() else ()


def accesses_of(side: TracedSide, replay: Replay) -> float:
    """Loads and stores per operation."""
    counts = (count for number, i, count in replay.accesses if i in side.intervals and number in side.rounds)
    return sum(counts) / side.operations / len(side.rounds)


def cause_order(cause: str) -> tuple[int, str]:
    """A sort key: known causes in their order, then those of a later core."""
    order = list(CAUSES)
    return (order.index(cause) if cause in CAUSES else len(order), cause)
