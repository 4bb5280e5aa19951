# SPDX-License-Identifier: GPL-2.0-only
"""Distance between the work of one kernel's runs, and a summary of the work of all kernels for the reader."""

from collections.abc import Iterator, Sequence
from math import fsum
from statistics import fmean

from kassay.analysis.rounds import Method, costs, method_of, phase_rounds, summarise, two_kinds
from kassay.analysis.work import LIMIT, faults_left_out, text_of, work_differences
from kassay.analysis.work_done import Done, Key, clones, cost_of_one, is_known, pair_of, work_done
from kassay.analysis.work_faults import FAULTS, few_faults, share_of_faults
from kassay.analysis.work_found import found_by_chance
from kassay.analysis.work_results import known_results, share_of, table_of
from kassay.model.finding import Finding
from kassay.model.reason import Reason, reason
from kassay.model.records import Record
from kassay.model.run import CellEvidence
from kassay.model.work import (
    CLOCK,
    CLONES,
    FUTEX,
    NOT_COMPARED,
    OF_FAULTS,
    OF_OTHERS,
    SIGRETURN,
    SLEEPS,
    TIMERS,
    USER_CODE,
    per_round,
)
from kassay.supply.clocks import clock_of

UNSTEADY = 0.01
"""Share of the value by which the work of one kernel's runs may differ before that is a doubt."""

OF_C_LIBRARY = 1
"""Readings of the clock with which glibc starts a static program (HP_TIMING in _dl_non_dynamic_init)."""


DOUBTS = {"arguments-differ", "arguments-unread", "calls-not-watched", "change-by-chance", "change-elsewhere",
          "faults-left-out", "faults-otherwise", "fixed-in-value", "found-otherwise", "more-operations",
          "mostly-elsewhere", "others-not-watched", "outside-differs", "prints-differ", "resident-differs",
          "timer-may-end", "turns-differ", "work-not-proportional", "work-varies"}  # fmt: skip
"""Codes of reasons by which work may differ though its numbers do not."""


_ROUNDS, _MANY_ROUNDS = 3, 10
"""Rounds of a run that are compared with each other, and those of which the two outermost are left out."""


class Spread(Record, frozen=True, kw_only=True):
    """One kind of work in which the runs of one kernel differ."""

    what: str
    low: float
    high: float
    share: float
    """Part of the value that belongs to the difference."""
    in_watched: bool = False
    """True if the watched executions show it alone: measured ones may differ by more."""


def work_summary(findings: Sequence[Finding], evidence: Sequence[CellEvidence]) -> Reason | None:
    """Sentence on the work of users' programs: the same on all kernels, or not. None without such programs."""
    programs = [item for item in evidence if any(m.work is not None for m in item.measurements)]
    if not programs or not clock_of(programs[0].cell.machine.clock).counts_work:
        return None
    refused = next((f for f in findings if f.verdict == "different-work"), None)
    if refused is not None:
        return refused.reasons[0]
    if not all(any(map(is_known, item.measurements)) for item in programs):
        return reason("work-not-known")
    by_side = {(item.cell.point, item.label): item for item in programs}
    compared = [
        tuple(by_side.get((finding.point, side.kernel)) for side in finding.sides) for finding in findings
        if finding.primary
    ]  # fmt: skip
    pairs = [pair_of(base, head) for base, head in compared if base is not None and head is not None]
    shares = [_apart(*pair) for pair in pairs if pair is not None]
    reads = round(max(map(clock_reads, programs))) or None
    if not shares:
        return None
    share = max(shares)
    doubted = share > LIMIT or any(why.code in DOUBTS for f in findings if f.primary for why in f.reasons)
    waits = timers(programs)
    if doubted:
        return reason("work-in-doubt", reads=reads, timers=waits)
    return reason("work-same", share=share, reads=reads, timers=waits)


def _apart(base: Sequence[Done], head: Sequence[Done]) -> float:
    """Share of the value that all work carries in which two kernels differ, also faults for which the kernels are taken
    for the cause."""
    faults = faults_left_out(base, head)
    differences = (*work_differences(base, head), *((faults,) if faults is not None else ()))
    return fsum(difference.share for difference in differences)


def clock_reads(side: CellEvidence) -> float:
    """Readings of the clock per round in the first run whose work is known, apart from that of the C library at its
    start; 0 if nothing is known."""
    work = next((m.work for m in side.measurements if m.plain and is_known(m)), None)
    item = work.item(CLOCK) if work is not None else None
    reads = per_round(item.times, range(len(item.times))) if item is not None else 0.0
    return reads if work is not None and reads > (0 if work.region else OF_C_LIBRARY) else 0.0


def timers(sides: Sequence[CellEvidence]) -> str | None:
    """Calls after which a program may end after a time, and not after an amount of work: a timer whose signal comes, or
    a sleep while other tasks work. None without such."""
    made: dict[str, None] = {}
    for work in (m.work for side in sides for m in side.measurements if m.plain and m.work is not None):
        times = {item.key: max(item.times) for item in work.items}
        several = any(times.get(key) for key in CLONES)
        keys = (*(TIMERS if several or times.get(SIGRETURN) else ()), *(SLEEPS if several else ()))
        made |= {f"{key[1]}()": None for key in keys if times.get(key)}
    return ", ".join(made) or None


def own_spreads(side: CellEvidence) -> tuple[Spread, ...]:
    """All kinds of work in which the runs of one kernel differ, or the rounds of a run, those that carry most first.

    A few faults for each start of a program, and one for each process that is copied, do not count: perturbed runs move
    the stack, which may then lie on one page more. Nor do futex() calls that wait for the end of a thread.
    """
    known = next((m.work for m in side.measurements if is_known(m)), None)
    if known is None:
        return ()
    by = method_of((side,), known.phase)
    runs = work_done(side, by)
    keys = dict.fromkeys(key for done in runs for key in done.times if _may_vary(key))
    of_runs = (_spread(key, [done.times.get(key, 0.0) for done in runs], runs, runs[0].ticks) for key in keys)
    spreads = [*of_runs, *_between_rounds(side, by, runs), *_of_results(runs, ""), *_of_results(runs, OF_OTHERS),
               *_found(runs)]  # fmt: skip
    most = sorted((s for s in spreads if s.share), key=lambda spread: (-spread.share, spread.what))
    of_one_name: dict[str, Spread] = {}
    for spread in most:
        of_one_name.setdefault(spread.what.partition("()")[0], spread)
    return tuple(of_one_name.values())


def _may_vary(key: Key) -> bool:
    return key[0] not in NOT_COMPARED or key in OF_FAULTS


def _spread(key: Key, times: Sequence[float], runs: Sequence[Done], ticks: float) -> Spread:
    """times: of one kind of work, in several runs or rounds; ticks: of one of them."""
    low, high = min(times), max(times)
    few = few_faults(runs[0]) if key in (*FAULTS, *OF_FAULTS) else clones(runs[0]) if key == FUTEX else 0.0
    if high - low <= few:
        share = 0.0
    elif key in OF_FAULTS:
        share = share_of_faults(high - low, high, runs[:1]) * runs[0].ticks / ticks
    else:
        share = (high - low) * (1.0 if key == USER_CODE else max(cost_of_one(key, done) for done in runs)) / ticks
    return Spread(what=text_of(key, *runs), low=low, high=high, share=share)


def _of_results(runs: Sequence[Done], whose: str) -> Iterator[Spread]:
    """Numbers in which the watched executions of the runs differ: lengths that a program takes from the clock."""
    known = known_results(runs, whose)
    tables = [table_of(results) for results in known]
    for key in sorted({key for table in tables for key in table}):
        values = [table.get(key, 0) for table in tables]
        low, high = min(values), max(values)
        if low < high:
            share = share_of(key, high - low, high, known, runs[:1])
            yield Spread(what=key.text(whose), low=low, high=high, share=share)


def _found(runs: Sequence[Done]) -> Iterator[Spread]:
    for row in found_by_chance(runs):
        what = f"{row.noun} found by {row.call}"
        yield Spread(what=what, low=round(row.low), high=round(row.high), share=row.share, in_watched=True)


def _between_rounds(side: CellEvidence, by: Method, runs: Sequence[Done]) -> Iterator[Spread]:
    """Kinds of work in which the rounds of one run differ. A program that loops until a time has passed does one
    operation more in some of them, and a median hides it. Each round of a region may do other work, so regions count
    only if the run never settles: each round may be of another process, whose number or address decides what it does.
    """
    for measurement in side.measurements:
        work = measurement.work
        if work is None or not work.items or measurement.control:
            continue
        phase = phase_rounds(measurement, work.phase)
        summary = summarise(costs(phase), by)
        steady = range(max(summary.warmup, 1) if summary.settled else 1, len(phase.ticks))
        if len(steady) < _ROUNDS or (summary.settled and work.region):
            continue
        mean = by == "mean" and summary.settled and not two_kinds(costs(phase))
        for item in (item for item in work.items if _may_vary(item.key)):
            times = [item.times[i] / (phase.printed[i] if phase.printed else 1) for i in steady]
            spread = _halves(times) if mean else _without_ends(times)
            yield _spread(item.key, spread, runs, min(costs(phase)[1:]))


def _halves(times: Sequence[float]) -> tuple[float, float]:
    """Means of both halves: a mean over all of them is as steady."""
    half = len(times) // 2
    return fmean(times[:half]), fmean(times[half:])


def _without_ends(times: Sequence[float]) -> Sequence[float]:
    """All but the smallest and the largest where there are many: no median and no mode is made of those."""
    return sorted(times)[1:-1] if len(times) >= _MANY_ROUNDS else times


def varying_share(spreads: Sequence[Spread]) -> float:
    """Share of the value that all work carries in which the runs of one kernel differ."""
    return fsum(spread.share for spread in spreads)
