# SPDX-License-Identifier: GPL-2.0-only
"""The work that a user's program did on two kernels, and where it differs.

Work is compared in the rounds that the compared values stand for. A kind of work differs if the two kernels lie further
apart in it than the runs of one kernel do, perturbed ones included.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum
from typing import NamedTuple

from msgspec import structs

from kassay.analysis.rounds import Method, costs, method_of, phase_rounds, summarise
from kassay.model.records import grouped
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import (
    CLONES,
    FUTEX,
    LOOKUPS,
    NOT_COMPARED,
    PAGE_FAULTS,
    STEERING,
    USER_CODE,
    CallResult,
    Work,
    is_call,
    per_round,
)
from kassay.supply.clocks import clock_of

LIMIT = 0.0025
"""Share of the value that work may carry which only one of the kernels did: a quarter of the usual margin."""

PER_OPERATION_LIMIT = 0.1
"""The same where values are divided by printed operations: the start of a program is not proportional to them."""

OF_OTHERS = " of its children and threads"

_ERROR, _AMOUNT, _KIND = "error", "amount", "kind"

_ITEMS = {
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "io_getevents", "io_pgetevents", "io_submit", "io_uring_enter",
    "move_pages", "poll", "ppoll", "pselect6", "recvmmsg", "select", "sendmmsg",
}  # fmt: skip
"""System calls whose amount is a number of messages, events, files, requests or pages, and not of bytes."""

FEW_FAULTS = 4
"""Page faults that the start of a program may take more on one kernel than on another, in a whole execution."""

AMOUNT = 0.05
"""Part by which the mean amount of a call may differ where some calls are made more often: others have its name."""

_KB_PER_PAGE = 4

Key = tuple[str, str]


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
    region: bool = False
    """True if a round is a part of an execution."""
    resident_kb: float | None = None
    """Memory that is resident when the program ends; None where it is not known."""
    watched: int = 0
    """System calls of the first process whose results are known."""


class Difference(NamedTuple):
    """One kind of work that the kernels did not do alike."""

    what: str
    base: str
    head: str
    share: float
    """Part of the value that belongs to it."""


class _Result(NamedTuple):
    """One difference in what calls were asked to do, and did."""

    name: str
    whose: str
    differs_in: str
    """_ERROR, _AMOUNT or _KIND."""
    difference: Difference


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
    return Done(
        times={item.key: per_round(item.times, rounds) / each for item in work.items},
        counts={item.key: per_round(item.counts, rounds) / each for item in work.items if item.counts},
        texts={item.key: item.text for item in work.items},
        ticks=per_round(phase.ticks, rounds) / each,
        results=of_one_call(work.results) if work.region or phase.printed else work.results,
        other_results=of_one_call(work.other_results) if work.region or phase.printed else work.other_results,
        plain=measurement.plain, divided=bool(phase.printed), operations=each, region=work.region,
        resident_kb=_number(dict(measurement.after).get("program.Rss")),
        watched=sum(result.times for result in work.results or ()),
    )  # fmt: skip


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
    return sides if all(side and side[0].plain for side in sides) else None


def work_differences(base: Sequence[Done], head: Sequence[Done]) -> tuple[Difference, ...]:
    """All kinds of work that differ, those that carry most first. Faults that only the kernel can have made are left
    out, and futex() calls that wait for the end of a thread: see faults_are_the_kernels() and clones()."""
    apart, results = _kinds_apart(base, head)
    if _leaves_faults_out(base[0], head[0], apart, results):
        apart.pop(PAGE_FAULTS, None)
    found = [_difference(key, carried, base[0], head[0]) for key, carried in apart.items() if carried]
    return tuple(sorted(_named_once(found, results), key=lambda difference: (-difference.share, difference.what)))


def faults_left_out(base: Sequence[Done], head: Sequence[Done]) -> Difference | None:
    """Page faults that differ and are not compared, as the kernels are taken for their cause; None without such, and
    for a few at the start of a program."""
    apart, results = _kinds_apart(base, head)
    carried = apart.get(PAGE_FAULTS, 0.0)
    if not carried or _few(base[0], head[0]) or not _leaves_faults_out(base[0], head[0], apart, results):
        return None
    return _difference(PAGE_FAULTS, carried, base[0], head[0])


class Mix(NamedTuple):
    """How the calls of two sides differ, where the work does."""

    otherwise: frozenset[str]
    """Names of calls with other errors, amounts or kinds."""
    alike: bool
    """True if the calls differ in their numbers alone, each kind is made on both sides, and page faults do not differ
    without them."""


def mix_of(base: Sequence[Done], head: Sequence[Done]) -> Mix:
    """How the calls of two sides differ."""
    apart, _ = _kinds_apart(base, head)
    calls = [key for key, carried in apart.items() if carried and is_call(key)]
    on_both = all(min(side[0].times.get(key, 0.0) for side in (base, head)) > 0 for key in calls)
    otherwise = frozenset({*_asked_otherwise(base[0].results, head[0].results),
                           *_asked_otherwise(base[0].other_results, head[0].other_results)})  # fmt: skip
    faults_alone = bool(apart.get(PAGE_FAULTS)) and not calls
    return Mix(otherwise, on_both and not otherwise and not faults_alone)


def _asked_otherwise(base: tuple[CallResult, ...] | None, head: tuple[CallResult, ...] | None) -> Iterator[str]:
    """Names of calls of which one differs: an error or a kind is on one side alone, or its amount is another one."""
    tables = [_by_call(of_one_call(results) or ()) for results in (base, head)]
    for key in dict.fromkeys((*tables[0], *tables[1])):
        low, high = sorted(table.get(key, 0) for table in tables)
        if high - low > AMOUNT * high:
            yield key[0]


def _kinds_apart(base: Sequence[Done], head: Sequence[Done]) -> tuple[dict[Key, float], list[_Result]]:
    """(kind of work -> instructions that only one side executed for it, differences in results). Without futex() calls
    that wait for the end of a thread."""
    keys = dict.fromkeys((*base[0].times, *head[0].times))
    apart = {key: _apart(key, base, head) for key in keys if key[0] not in NOT_COMPARED}
    by_side = [[done.results for done in side] for side in (base, head)]
    others = [[done.other_results for done in side] for side in (base, head)]
    results = [*_results(by_side, "", base[0], head[0]), *_results(others, OF_OTHERS, base[0], head[0])]
    futexes = [side[0].times.get(FUTEX, 0.0) * side[0].operations for side in (base, head)]
    if abs(futexes[1] - futexes[0]) <= clones(base[0]) * base[0].operations:
        apart.pop(FUTEX, None)
    return apart, results


def _difference(key: Key, carried: float, base: Done, head: Done) -> Difference:
    times = [number_text(done.times.get(key, 0.0)) for done in (base, head)]
    return Difference(text_of(key, base, head), times[0], times[1], carried / min(base.ticks, head.ticks))


def _leaves_faults_out(base: Done, head: Done, apart: Mapping[Key, float], results: Iterable[_Result]) -> bool:
    return faults_are_the_kernels(base, head) and not _steered(apart, results)


def _steered(apart: Mapping[Key, float], results: Iterable[_Result]) -> bool:
    """True if calls differ that decide about later faults, whatever they cost themselves."""
    kinds = any(result.differs_in == _KIND for result in results)
    return kinds or any(apart.get(key, 0.0) for key in STEERING)


def _named_once(found: Sequence[Difference], results: Sequence[_Result]) -> Iterator[Difference]:
    """Calls of one name differ once: in their number, or in what they were asked and did, whichever carries more."""
    chosen: dict[str, list[Difference]] = {}
    for (name, _), group in grouped(((one.name, one.whose), one) for one in results).items():
        errors = [one.difference for one in group if one.differs_in == _ERROR]
        most = max((one.difference for one in group), key=lambda difference: difference.share)
        chosen.setdefault(name, []).extend(errors or [most])
    for difference in found:
        name = difference.what.removesuffix("()")
        if difference.share >= fsum(other.share for other in chosen.get(name, ())):
            chosen.pop(name, None)
            yield difference
    yield from chain.from_iterable(chosen.values())


def _apart(key: Key, base: Sequence[Done], head: Sequence[Done]) -> float:
    """Instructions of one kind of work that only one kernel did; 0 if the runs of one kernel lie as far apart."""
    more = _more([[done.times.get(key, 0.0) for done in side] for side in (base, head)])
    return more if key == USER_CODE else more * max(cost_of_one(key, base[0]), cost_of_one(key, head[0]))


def _more(sides: Sequence[Sequence[float]]) -> float:
    """Distance between the first runs of two sides. 0 if the runs of one side differ by as much."""
    more = abs(sides[0][0] - sides[1][0])
    return more if more > max(max(side) - min(side) for side in sides) else 0.0


def cost_of_one(key: Key, done: Done) -> float:
    """Instructions of one call; 0 where there was none."""
    times = done.times.get(key, 0.0)
    return done.counts.get(key, 0.0) / times if times else 0.0


def faults_are_the_kernels(base: Done, head: Done) -> bool:
    """True if the kernels alone explain another number of page faults.

    A loop that touches more pages executes at least one instruction more for each. A kernel that maps other numbers of
    pages per fault changes the number of faults, and no instruction of the program. The vDSO's names are the kernel's,
    and looking for one of them takes another number of instructions. Code that is executed as often may touch other
    pages all the same, as a hash table does: then as many more are resident, and not as many or fewer. No kernel maps
    so many pages per fault that none is left of many.
    """
    fewer, more = sorted(done.times.get(PAGE_FAULTS, 0.0) for done in (base, head))
    code_difference = abs(_own_code(head) - _own_code(base))
    if _few(base, head):
        return True
    return fewer > 0 and code_difference < more - fewer and not _resident_follows(base, head)


def _more_faults(base: Done, head: Done) -> float:
    """Page faults that an execution on head takes more than one on base, for as many operations."""
    more = head.times.get(PAGE_FAULTS, 0.0) - base.times.get(PAGE_FAULTS, 0.0)
    return more * min(base.operations, head.operations)


def _few(base: Done, head: Done) -> bool:
    """True for the few faults more or less that the start of a program may take; a region has no start."""
    return not base.region and abs(_more_faults(base, head)) <= FEW_FAULTS


def _resident_follows(base: Done, head: Done) -> bool:
    """True if the side with more faults also ends with more resident pages, by half of them at least."""
    if base.region or base.resident_kb is None or head.resident_kb is None:
        return False
    faults = _more_faults(base, head)
    pages = (head.resident_kb - base.resident_kb) / _KB_PER_PAGE
    return pages * faults >= faults * faults / 2


def clones(done: Done) -> float:
    """Threads and processes that were made.

    pthread_join() makes a futex() call only if the thread has not ended yet: as many calls more or less are a matter of
    the scheduler's turns.
    """
    return fsum(done.times.get(key, 0.0) for key in CLONES)


def _own_code(done: Done) -> float:
    return done.times.get(USER_CODE, 0.0) - done.times.get(LOOKUPS, 0.0)


def _results(
    sides: Sequence[Sequence[Sequence[CallResult] | None]], whose: str, base: Done, head: Done
) -> list[_Result]:
    """Errors, amounts and kinds in which the watched executions of two sides differ. whose: the tasks that made the
    calls, for the text; "" for the program's first process."""
    known = [[results for results in side if results is not None] for side in sides]
    if not all(known):
        return []
    found = []
    tables = [[_by_call(results) for results in side] for side in known]
    for name, differs_in, word in sorted({key for side in tables for table in side for key in table}):
        values = [[table.get((name, differs_in, word), 0) for table in side] for side in tables]
        more = _more(values)
        if not more:
            continue
        called = max(_called(side[0], name) for side in known)
        part = more / (max(side[0] for side in values) if differs_in == _AMOUNT else called)
        share = part * max(_share_of(name, base), _share_of(name, head))
        text = {_ERROR: f"{name}(){whose} that failed with {word}", _KIND: f"{name}(){whose} of kind {word}",
                _AMOUNT: f"{name}() {'items' if name in _ITEMS else 'bytes'}{whose}"}  # fmt: skip
        difference = Difference(text[differs_in], str(values[0][0]), str(values[1][0]), share)
        found.append(_Result(name, whose, differs_in, difference))
    return found


def _by_call(results: Sequence[CallResult]) -> dict[tuple[str, str, str], int]:
    """Name, what is counted, and the error or the kind -> a number of calls, or the sum of their amounts."""
    table: dict[tuple[str, str, str], int] = {}
    for one in results:
        keys = (
            [(_ERROR, one.error, one.times)] if one.error else [(_AMOUNT, "", one.total), (_KIND, one.kind, one.times)]
        )
        for differs_in, word, value in keys:
            if word or differs_in == _AMOUNT:
                table[one.name, differs_in, word] = table.get((one.name, differs_in, word), 0) + value
    return table


def _called(results: Iterable[CallResult], name: str) -> int:
    return sum(one.times for one in results if one.name == name)


def _share_of(name: str, done: Done) -> float:
    return sum(count for (_, of), count in done.counts.items() if of == name) / done.ticks


def limit_of(base: Sequence[Done]) -> float:
    """Share of the value from which other work refuses a comparison."""
    return PER_OPERATION_LIMIT if base[0].divided else LIMIT


def text_of(key: Key, *runs: Done) -> str:
    """The words for a kind of work."""
    return next(done.texts[key] for done in runs if key in done.texts)


def number_text(value: float) -> str:
    """A number of calls or bytes."""
    return f"{value:.6g}" if value % 1 else str(int(value))
