# SPDX-License-Identifier: GPL-2.0-only
"""The work that a user's program did in each run of a kernel, per round or per printed operation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from msgspec import structs

from kassay.analysis.rounds import Method, costs, method_of, phase_rounds, summarise
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import CLONES, OF_OTHERS, OF_RING, CallResult, Found, Work, is_call, per_round
from kassay.supply.clocks import clock_of

Key = tuple[str, str]
_Results = tuple[CallResult, ...] | None

WATCHED = 4000
"""System calls of a program's first process whose results are noted (CALLS in guest/results.c)."""

_MORE = 0.05
"""Part by which the numbers of calls or operations may differ."""

_SLOWER = 0.02
"""Part by which calls of the watched execution may differ in number from those of the measured ones."""


class Done(NamedTuple):
    """The work of one run: means over the rounds that its value stands for."""

    times: Mapping[Key, float]
    counts: Mapping[Key, float]
    """Instructions that the kernel executed for each kind of call."""
    texts: Mapping[Key, str]
    ticks: float
    results: tuple[CallResult, ...] | None
    other_results: tuple[CallResult, ...] | None
    plain: bool
    divided: bool = False
    """True if all of this is per printed operation, and not per round."""
    operations: float = 1.0
    """Printed operations of a round; 1 unless divided."""
    printed: frozenset[float] = frozenset()
    """Printed operations of all rounds; empty unless divided."""
    in_rounds: Mapping[Key, frozenset[int]] = {}
    """Numbers of times that are found in the rounds; empty unless divided."""
    region: bool = False
    """True if a round is a part of an execution."""
    resident_kb: float | None = None
    """Memory that is resident when the program ends; None where it is not known."""
    peak_kb: float | None = None
    """The most memory that was resident at one time; None where it is not known."""
    allocated: float | None = None
    """Pages that the kernel allocated in an execution, on average over all; in the whole run if a round is a part of an
    execution. None or 0 where it is not known."""
    anonymous_kb: float | None = None
    """The part of it that is anonymous."""
    arguments: Mapping[str, str] = {}
    """Sum of all arguments of the calls of each name, with OF_OTHERS those of children and threads; empty where they
    are not known."""
    found: Mapping[str, Found] = {}
    """Memory that the calls of each name found, named as in arguments."""
    execution: tuple[CallResult, ...] | None = None
    """Results of the whole execution where a round is a part of it; None where they are not known."""
    executions: int = 0
    """Executions of the run; 0 where that is not known."""
    inside: Mapping[str, float] = {}
    """Calls of each name in all rounds of an execution; empty where the executions are not known."""
    watched: int = 0
    """System calls of the first process whose results are known."""


def is_known(measurement: Measurement) -> bool:
    """True if the work of a run is known."""
    return measurement.work is not None and bool(measurement.work.items)


def work_done(side: CellEvidence, by: Method) -> tuple[Done, ...]:
    """The work of all runs of which it is known, plain ones first."""
    known = [(m, m.work) for m in side.measurements if not m.control and m.work is not None and m.work.items]
    return tuple(sorted((_done(m, work, by) for m, work in known), key=lambda done: not done.plain))


def _done(measurement: Measurement, work: Work, by: Method) -> Done:
    phase = phase_rounds(measurement, work.phase)
    rounds = summarise(costs(phase), by).chosen
    each = phase.done(rounds) / len(rounds) if phase.printed else 1
    times = {item.key: per_round(item.times, rounds) / each for item in work.items}
    whole = not (work.region or phase.printed)
    results, other_results = _as_measured(work, times) if whole else (work.results, work.other_results)
    return Done(
        times=times,
        counts={item.key: per_round(item.counts, rounds) / each for item in work.items if item.counts},
        texts={item.key: item.text for item in work.items},
        ticks=per_round(phase.ticks, rounds) / each,
        results=results if whole else of_one_call(results),
        other_results=other_results if whole else of_one_call(other_results),
        plain=measurement.plain, divided=bool(phase.printed), operations=each, region=work.region,
        printed=frozenset(phase.printed or ()),
        in_rounds={item.key: frozenset(item.times) for item in work.items} if phase.printed else {},
        resident_kb=_number(dict(measurement.after).get("program.Rss")),
        peak_kb=_number(dict(measurement.after).get("program.peak")),
        allocated=_allocated(measurement) / (1 if work.region else len(phase.ticks)),
        anonymous_kb=_number(dict(measurement.after).get("program.Anonymous")),
        arguments={**dict(work.arguments or ()),
                   **{f"{name}{OF_OTHERS}": number for name, number in work.other_arguments or ()}},
        found={**{one.name: one for one in work.found or ()},
               **{f"{one.name}{OF_OTHERS}": one for one in work.found_by_others or ()}},
        execution=(*work.results, *(work.other_results or ())) if work.region and work.results is not None else None,
        executions=work.executions,
        inside={item.name: sum(item.times) / work.executions for item in work.items if is_call(item.key)}
        if work.executions else {},
        watched=sum(result.times for result in work.results or () if not result.kind.startswith(OF_RING)),
    )  # fmt: skip


def _allocated(measurement: Measurement) -> float:
    """Pages, huge ones by their size, in the whole run (pgalloc_* of /proc/vmstat); 0 where it is not known."""
    return fsum(int(text) for name, text in measurement.counters if name.startswith("pgalloc_") and text is not None)


def _as_measured(work: Work, times: Mapping[Key, float]) -> tuple[_Results, _Results]:
    """Results of the first process and of others, with as many calls of a name as the measured rounds have. The watched
    execution takes more time: a program that loops until a time has passed makes fewer calls in it."""
    every = (*(work.results or ()), *(work.other_results or ()))
    if not every or sum(one.times for one in every) >= WATCHED or work.other_results is None:
        return work.results, work.other_results
    watched = Counter[str]()
    for one in every:
        watched[one.name] += one.times
    measured = {key[1]: number for key, number in times.items() if is_call(key)}
    factors = {name: measured.get(name, 0.0) / number for name, number in watched.items() if number}
    other = {name: factor for name, factor in factors.items() if factor and abs(factor - 1) > _SLOWER}
    scaled = [
        None if results is None else tuple(_scaled(one, other.get(one.name, 1.0)) for one in results)
        for results in (work.results, work.other_results)
    ]
    return scaled[0], scaled[1]


def _scaled(one: CallResult, factor: float) -> CallResult:
    return structs.replace(one, times=max(1, round(one.times * factor)), total=round(one.total * factor))


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdecimal() else None


def of_one_call(results: tuple[CallResult, ...] | None) -> tuple[CallResult, ...] | None:
    """The results of one call of each kind. They are compared where the watched execution has other numbers of calls
    than what is compared: regions of an execution, and what is divided by printed operations."""
    if results is None:
        return None
    return tuple(structs.replace(one, times=1, total=one.total // one.times) for one in results if one.times)


def pair_of(base: CellEvidence, head: CellEvidence) -> tuple[tuple[Done, ...], tuple[Done, ...]] | None:
    """The work of both sides; None unless each side has a plain run whose work is known, and counts are exact."""
    first = next((m.work for m in base.measurements if is_known(m)), None)
    if first is None or not clock_of(base.cell.machine.clock).counts_work:
        return None
    if any(m.work is not None and m.work.phase != first.phase for m in head.measurements):
        return None
    by = method_of((base, head), first.phase)
    sides = work_done(base, by), work_done(head, by)
    if len(frozenset[float]().union(*(done.printed for side in sides for done in side))) == 1:  # it divides nothing
        sides = _undivided(sides[0]), _undivided(sides[1])
    return sides if all(side and side[0].plain for side in sides) else None


def _undivided(side: Sequence[Done]) -> tuple[Done, ...]:
    return tuple(done._replace(divided=False) for done in side)


def distance(sides: Sequence[Sequence[float]]) -> float:
    """Distance between the first runs of two sides. 0 if the runs of one side differ by as much."""
    more = abs(sides[0][0] - sides[1][0])
    return more if more > max(max(side) - min(side) for side in sides) else 0.0


def of_larger(change: float) -> float:
    """A change, head / base - 1, as a part of the larger side."""
    return abs(change) / max(1.0, 1.0 + change)


def more_where_dearer(times: Sequence[float], change: float) -> bool:
    """True if the side on which one costs more also made more: each may cost more than the one before. A program that
    loops until a time has passed makes fewer where they cost more."""
    return (times[1] - times[0]) * change > 0 and max(times) > min(times) * (1 + _MORE)


def cost_of_one(key: Key, done: Done) -> float:
    """Instructions of one call; 0 where there was none."""
    times = done.times.get(key, 0.0)
    return done.counts.get(key, 0.0) / times if times else 0.0


def clones(done: Done) -> float:
    """Threads and processes that were made.

    pthread_join() makes a futex() call only if the thread has not ended yet: as many calls more or less are a matter of
    the scheduler's turns.
    """
    return fsum(done.times.get(key, 0.0) for key in CLONES)
