# SPDX-License-Identifier: GPL-2.0-only
"""The pairs by the core model and by simpler ways, from traces of both sides."""

import shutil
from collections.abc import Iterable, Mapping, Sequence

from benchmarks._pairs import Measured, Pair
from benchmarks._pairs_score import WAYS, Row
from benchmarks._pairs_simple import MCA, Simple, mca_cycles, simple
from benchmarks._pairs_time import NOISY
from benchmarks._pairs_trace import Traced
from benchmarks._replays import replays
from kassay.labs.predict.changes import CauseTimes, Change
from kassay.labs.predict.interval import interval_of, ratio_of, refusals, weighted
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.trace import read_trace
from kassay.model.records import Record


class Others(Record, frozen=True, kw_only=True):
    """Cost of an operation of one side, by ways other than the model."""

    counts: float
    """Instructions, as in benchmarks/_pairs_simple.py."""
    weighted: float
    """Weighted count, as in benchmarks/_pairs_simple.py."""
    mca: float | None
    """Cycles by llvm-mca; None without it."""


Causes = Mapping[str, float]
"""ns of an operation by cause, without weights."""


def all_causes(runs: Iterable[Traced], timing: Timing, operations: Mapping[str, int]) -> dict[str, Causes]:
    """Every side of several runs by its name."""
    return {side: causes for run in runs for side, causes in causes_of(run, timing, operations).items()}


def causes_of(traced: Traced, timing: Timing, operations: Mapping[str, int]) -> dict[str, Causes]:
    """Every side of a run by its name, by the core model."""
    answered = {side: traced.rounds(side)[1] for side in traced.sides}
    found = _causes(traced.trace, timing, frozenset(answered.values()))
    return {
        side: {cause: cycles / timing.ghz.value / operations[side] for cause, cycles in found[number].items()}
        for side, number in answered.items()
    }


def others_of(traced: Traced, timing: Timing, operations: Mapping[str, int]) -> dict[str, Others]:
    """Every side of a run by its name; takes longer than the model."""
    answered = {side: traced.rounds(side)[1] for side in traced.sides}
    found = simple(traced.trace, answered.values())
    others = {}
    for side, number in answered.items():
        of, many = found[number], operations[side]
        cycles = _mca(of, timing)
        mca = None if cycles is None else cycles / many
        others[side] = Others(counts=of.instructions / many, weighted=of.weighted / many, mca=mca)
    return others


def _causes(data: bytes, timing: Timing, rounds: frozenset[int]) -> dict[int, dict[str, float]]:
    """Cycles by cause of each round, without the gap behind it."""
    trace = read_trace(data)
    (replayed,) = replays(data, trace, timing)
    found: dict[int, dict[str, float]] = {number: {} for number in rounds}
    for row in replayed.rows:
        if row.round in rounds and row.interval < trace.intervals - 1:
            of = found[row.round]
            of[row.cause] = of.get(row.cause, 0.0) + row.cycles100 / 100
    return found


def llvm_cpu(timing: Timing) -> str:
    """LLVM's name of the CPU of a timing file."""
    return timing.llvm.rpartition(" ")[2]


def _mca(of: Simple, timing: Timing) -> float | None:
    """Cycles of the round: those of its window, an instruction on average, for all that it executed."""
    program = next(filter(shutil.which, MCA), None)
    if program is None or not of.code:
        return None
    try:
        return of.instructions * mca_cycles(of.code, llvm_cpu(timing), program)
    except RuntimeError:
        return None


def rows(
    asked: Sequence[Pair],
    causes: Mapping[str, Causes],
    others: Mapping[str, Others],
    measured: Measured,
    timing: Timing,
) -> tuple[Row, ...]:
    """Every pair that was measured, and of which both sides were traced."""
    timed = {(one.base, one.head): one for one in measured.pairs}
    found = []
    for pair in asked:
        one = timed.get((pair.base, pair.head))
        if one is None or pair.base not in causes or pair.head not in causes:
            continue
        shifts = weighted(timing.interval.weights, _shifts(causes[pair.base], causes[pair.head]))
        between = interval_of(timing.interval, shifts)
        ratios: dict[str, float | None] = {WAYS[0]: ratio_of(shifts)}
        if pair.base in others and pair.head in others:
            base, head = others[pair.base], others[pair.head]
            simpler = ((base.counts, head.counts), (base.weighted, head.weighted), (base.mca, head.mca))
            ratios.update(zip(WAYS[1:], (_ratio(*way) for way in simpler), strict=True))
        found.append(
            Row(
                kind=pair.kind, base=pair.base, head=pair.head, held_out=pair.held_out, judged=one.spread <= NOISY,
                measured=one.ratio, spread=one.spread, base_ns=one.base_ns, head_ns=one.head_ns, ratios=ratios,
                interval=(between.low, between.high),
                causes=tuple((cause, low, high) for cause, (low, high) in shifts.items()),
                refused=", ".join(str(reason["cause"]) for reason in refusals(timing.interval, shifts)),
            )
        )  # fmt: skip
    return tuple(found)


def changes(found: Sequence[Row]) -> tuple[Change, ...]:
    """For `kassay calibrate --pairs`: what may be fitted to, never a pair that was held out."""
    return tuple(
        Change(
            name=f"{row.base} > {row.head}", group=row.kind, base_ns=row.base_ns, head_ns=row.head_ns,
            causes=tuple(CauseTimes(cause=cause, base_ns=base, head_ns=head) for cause, base, head in row.causes),
        )
        for row in found
        if row.judged and not row.held_out
    )  # fmt: skip


def _shifts(base: Causes, head: Causes) -> dict[str, tuple[float, float]]:
    names = sorted(base.keys() | head.keys())
    return {name: (base.get(name, 0.0), head.get(name, 0.0)) for name in names}


def _ratio(base: float | None, head: float | None) -> float | None:
    return head / base if base and head else None
