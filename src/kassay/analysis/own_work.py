# SPDX-License-Identifier: GPL-2.0-only
"""Distance between the work of one kernel's runs, and a summary of the work of all kernels for the reader."""

from collections.abc import Iterator, Sequence
from math import fsum

from kassay.analysis.rounds import Method, costs, method_of, phase_rounds, summarise
from kassay.analysis.work import LIMIT, faults_left_out, text_of, work_differences
from kassay.analysis.work_done import Done, Key, clones, cost_of_one, is_known, pair_of, work_done
from kassay.analysis.work_faults import FAULTS, FEW_FAULTS
from kassay.analysis.work_found import found_by_chance
from kassay.analysis.work_results import known_results, share_of, table_of
from kassay.model.finding import Finding
from kassay.model.reason import Reason, reason
from kassay.model.records import Record
from kassay.model.run import CellEvidence
from kassay.model.work import CLOCK, EXECVE, FUTEX, NOT_COMPARED, OF_OTHERS, USER_CODE, per_round
from kassay.supply.clocks import clock_of

UNSTEADY = 0.01
"""Share of the value by which the work of one kernel's runs may differ before that is a doubt."""

OF_C_LIBRARY = 1
"""Readings of the clock with which glibc starts a static program (HP_TIMING in _dl_non_dynamic_init)."""


DOUBTS = {"arguments-differ", "change-by-chance", "change-elsewhere", "faults-left-out", "found-otherwise",
          "more-operations", "mostly-elsewhere", "outside-differs", "prints-differ", "resident-differs",
          "turns-differ", "work-not-proportional", "work-varies"}  # fmt: skip
"""Codes of reasons by which work may differ though its numbers do not."""


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
    return reason("work-in-doubt", reads=reads) if doubted else reason("work-same", share=share, reads=reads)


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


def own_spreads(side: CellEvidence) -> tuple[Spread, ...]:
    """All kinds of work in which the runs of one kernel differ, those that carry most first.

    A few faults for each start of a program, and one for each process that is copied, do not count: perturbed runs move
    the stack, which may then lie on one page more. Nor do futex() calls that wait for the end of a thread.
    """
    known = next((m.work for m in side.measurements if is_known(m)), None)
    if known is None:
        return ()
    by = method_of((side,), known.phase)
    runs = work_done(side, by)
    keys = dict.fromkeys(key for done in runs for key in done.times if key[0] not in NOT_COMPARED)
    spreads = [*(_spread(key, runs) for key in keys), *_unsettled(side, by, runs[0]), *_of_results(runs, ""),
               *_of_results(runs, OF_OTHERS), *_found(runs)]  # fmt: skip
    most = sorted((s for s in spreads if s.share), key=lambda spread: (-spread.share, spread.what))
    of_one_name: dict[str, Spread] = {}
    for spread in most:
        of_one_name.setdefault(spread.what.partition("()")[0], spread)
    return tuple(of_one_name.values())


def _spread(key: Key, runs: Sequence[Done]) -> Spread:
    times = [done.times.get(key, 0.0) for done in runs]
    low, high = min(times), max(times)
    cost = 1.0 if key == USER_CODE else max(cost_of_one(key, done) for done in runs)
    few = FEW_FAULTS * max(1.0, runs[0].times.get(EXECVE, 0.0)) + clones(runs[0])
    allowed = high - low <= (few if key in FAULTS else clones(runs[0]) if key == FUTEX else 0.0)
    share = 0.0 if allowed else (high - low) * cost / runs[0].ticks
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


def _unsettled(side: CellEvidence, by: Method, first: Done) -> Iterator[Spread]:
    """Kinds of work in which the rounds of a run differ that never settles, behind the first of them: each round may be
    of another process, whose number or address decides what it does."""
    for measurement in side.measurements:
        work = measurement.work
        if work is None or not work.items:
            continue
        phase = phase_rounds(measurement, work.phase)
        if phase.printed or len(phase.ticks) < 3 or summarise(costs(phase), by).settled:
            continue
        for item in work.items:
            low, high = min(item.times[1:]), max(item.times[1:])
            if item.key[0] in NOT_COMPARED or high - low <= FEW_FAULTS:
                continue
            cost = 1.0 if item.key == USER_CODE else cost_of_one(item.key, first)
            yield Spread(what=item.text, low=low, high=high, share=(high - low) * cost / min(phase.ticks[1:]))
        return


def varying_share(spreads: Sequence[Spread]) -> float:
    """Share of the value that all work carries in which the runs of one kernel differ."""
    return fsum(spread.share for spread in spreads)
