# SPDX-License-Identifier: GPL-2.0-only
"""Other work before the calls that are compared: the memory that they find, and calls outside of a region."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kassay.analysis.work_done import Done, distance
from kassay.analysis.work_results import (
    AMOUNT,
    OF_KERNEL,
    ResultKey,
    arguments_apart,
    share_of_kinds,
    share_of_name,
    table_of,
)
from kassay.model.work import IN_CALLS, OF_OTHERS, Found, is_asked, is_call

_KB = 1024
_APART = 0.02
"""Part by which runs may differ in what they find: perturbed ones have a larger stack."""


class _Measure(NamedTuple):
    """One thing that calls find."""

    noun: str
    mean: Callable[[Found], float | None]
    """Mean of the calls of one name; None where none was looked at."""
    few: int
    """Up to so many more or less are the kernel's: the vDSO has another number of mappings on some."""
    decides: bool = False
    """True if all calls and faults may cost more for it, and not only these calls."""


def _looked(number: Callable[[Found], int], unit: int = 1) -> Callable[[Found], float | None]:
    return lambda found: number(found) / found.looked / unit if found.looked else None


_TABLES = _Measure("kB of page tables", _looked(lambda found: found.table_bytes, _KB), 64, decides=True)
_MEMORY = (
    _Measure("kB of memory", _looked(lambda found: found.bytes, _KB), 16),
    _Measure("kB in huge pages", _looked(lambda found: found.huge_bytes, _KB), 0, decides=True),
    _Measure("mappings", _looked(lambda found: found.mappings), 4),
    _TABLES,
)
_FAULTS = _Measure("page faults", _looked(lambda found: found.faults), 32)
_FAULTS_APART = 0.2
"""Part by which the faults of a whole execution may differ, since kernels map other numbers of pages at once."""
_PAGES, _PAGES_APART = 32, 0.01
"""Pages, and part of them, by which whole runs may differ: kernels have other page tables and slabs."""
_ORDER = _Measure("earlier calls", lambda found: found.before / found.calls if found.calls else None, 4)

_LEAVING_NOTHING = {
    "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_pwait", "epoll_wait", "futex", "getcpu", "getegid",
    "geteuid", "getgid", "getpgid", "getpgrp", "getpid", "getppid", "getrandom", "getrusage", "getsid", "gettid",
    "gettimeofday", "getuid", "nanosleep", "poll", "ppoll", "pselect6", "restart_syscall", "sched_getaffinity",
    "sched_yield", "select", "sysinfo", "time", "times", "uname",
}  # fmt: skip
"""Calls behind which a process and its files are as before."""

_END = "exit_group"
_ONCE = 0.5
"""Calls outside of a region for each of its rounds, from which they belong to the round."""
_READING = {"getdents64", "pread64", "read"}


class FoundApart(NamedTuple):
    """Other memory that the calls of one name found, per call."""

    call: str
    noun: str
    """The things that were counted: "kB of memory"."""
    base: float
    head: float
    share: float
    """Part of the value that the calls carry, as far as what they found differs."""


def found_otherwise(base: Sequence[Done], head: Sequence[Done]) -> tuple[FoundApart, ...]:
    """Calls that found other memory on the two sides, or came in another order; those that carry most first: one row
    for each name. The order is compared where all calls of the first process are as many."""
    ordered = len({_calls(run) for run in (*base, *head)}) == 1
    rows = []
    for name in _names((*base, *head)):
        measures: tuple[_Measure, ...] = (*_MEMORY, _ORDER) if ordered and not name.endswith(OF_OTHERS) else _MEMORY
        if base[0].region and name.startswith(_END):  # behind the region, which may have freed page tables
            measures = tuple(measure for measure in measures if measure is not _TABLES)
        rows += sorted(_found(name, measures, base, head), key=lambda row: -row.share)[:1]
    if base[0].region:
        rows += _to_allocate(base, head)
    return tuple(sorted(rows, key=lambda row: -row.share))


def finding_otherwise(base: Sequence[Done], head: Sequence[Done]) -> frozenset[str]:
    """Names of calls that found other memory on the two sides, or in the runs of one of them."""
    apart = {row.call for row in found_otherwise(base, head)}
    chance = {row.call for side in (base, head) for row in found_by_chance(side)}
    return frozenset(call.partition("()")[0] for call in apart | chance)


def _to_allocate(base: Sequence[Done], head: Sequence[Done]) -> Iterator[FoundApart]:
    """Pages that the calls of a region allocate: those of a file which was not filled as far before it."""
    pages = [[run.times.get((IN_CALLS, ""), 0.0) for run in side] for side in (base, head)]
    more, most = distance(pages), max(map(max, pages))
    if more > max(_PAGES, _APART * most):
        share = max(share_of_kinds(is_call, side[0]) for side in (base, head)) * more / most
        yield FoundApart("the region's calls", "pages to allocate", pages[0][0], pages[1][0], share)


class FoundByChance(NamedTuple):
    """Memory that the calls of one name found in the runs of one kernel, per call."""

    call: str
    noun: str
    low: float
    high: float
    share: float
    """Part of the value that the calls carry, as far as what they found differs."""


def found_by_chance(runs: Sequence[Done]) -> Iterator[FoundByChance]:
    """Memory that calls find, where the runs of one kernel differ in it by more than a few."""
    for name in _names(runs):
        for measure in _MEMORY:
            means = _means(measure, name, runs)
            low, high = min(means, default=0.0), max(means, default=0.0)
            if high - low > max(measure.few, _APART * high):
                share = share_of_name(name.removesuffix(OF_OTHERS), runs[0])
                yield FoundByChance(_call(name), measure.noun, low, high, share * (high - low) / high)


def _calls(run: Done) -> frozenset[tuple[str, int]]:
    return frozenset((name, found.calls) for name, found in run.found.items() if not name.endswith(OF_OTHERS))


def _names(runs: Sequence[Done]) -> list[str]:
    return sorted({name for run in runs for name in run.found})


def _means(measure: _Measure, name: str, runs: Sequence[Done]) -> list[float]:
    every = (measure.mean(run.found[name]) for run in runs if name in run.found)
    return [mean for mean in every if mean is not None]


def _call(name: str) -> str:
    return f"{name.removesuffix(OF_OTHERS)}(){OF_OTHERS if name.endswith(OF_OTHERS) else ''}"


def _found(name: str, measures: Sequence[_Measure], base: Sequence[Done], head: Sequence[Done]) -> Iterator[FoundApart]:
    share = max(share_of_name(name.removesuffix(OF_OTHERS), side[0]) for side in (base, head))
    asked = max(share_of_kinds(is_asked, side[0]) for side in (base, head))
    for measure in measures:
        means = [_means(measure, name, side) for side in (base, head)]
        more = distance(means) if all(means) else 0.0
        if more > measure.few:
            carried = min(1.0, asked) if measure.decides else share
            first, second = (side[0] for side in means)
            yield FoundApart(_call(name), measure.noun, first, second, carried * more / max(first, second))


def outside_otherwise(base: Sequence[Done], head: Sequence[Done]) -> tuple[str, ...]:
    """Calls that a program makes outside of its region alone, and not alike on the two sides: their number, what they
    were told and given. Calls that leave nothing behind do not count, nor what reading the kernel's own files returns.
    And page faults, if those of the whole execution differ by more than a kernel maps at once, and allocated pages."""
    inside = {key[1] for side in (base, head) for key in side[0].times if is_call(key)}
    known = [[run for run in side if run.execution is not None] for side in (base, head)]
    if not base[0].region or not all(known):
        return ()
    tables = [[_outside(run, inside) for run in side] for side in known]
    rounds = _rounds(known[0][0]), _rounds(known[1][0])
    keys = {key for side in tables for table in side for key in table}
    numbers = {key: [[float(table.get(key, 0)) for table in side] for side in tables] for key in keys}
    names = {key[0] for key, (first, second) in numbers.items()
             if distance((first, second)) and not _alike_in_each((first[0], second[0]), rounds)}  # fmt: skip
    argued = {name for name in arguments_apart(base, head) if name not in inside and name not in _LEAVING_NOTHING}
    faults = [_means(_FAULTS, _END, side) for side in (base, head)]
    touched = all(faults) and distance(faults) > max(_FAULTS.few, _FAULTS_APART * faults[0][0])
    apart = {"page faults": touched, "page allocations": _allocate_otherwise(base, head)}
    other = (what for what, differs in apart.items() if differs)
    return (*other, *(f"{name}()" for name in sorted(names | argued)))


def _allocate_otherwise(base: Sequence[Done], head: Sequence[Done]) -> bool:
    """True if whole runs allocated other numbers of pages: a file in memory, whose pages no call names, was filled
    before the region."""
    pages = [[run.allocated for run in side if run.allocated] for side in (base, head)]
    return all(pages) and distance(pages) > max(_PAGES, _PAGES_APART * max(map(max, pages)))


def _outside(run: Done, inside: set[str]) -> dict[tuple[str, str, str], int]:
    """(name, number of, word) -> number, of all calls of an execution but those of the names inside of its region; two
    empty words for all calls of a name."""
    results = [
        one for one in run.execution or ()
        if one.name not in inside | _LEAVING_NOTHING and not (one.name in _READING and one.kind.startswith(OF_KERNEL))
    ]  # fmt: skip
    table = {(key.name, key.number_of, key.word): n for key, n in table_of(results).items() if not _is_returned(key)}
    for one in results:
        table[one.name, "", ""] = table.get((one.name, "", ""), 0) + one.times
    return table


def _rounds(run: Done) -> float:
    """Rounds of the watched execution, by the calls in each: the smallest estimate, as the same may be called outside.
    1 where a round makes no call."""
    made = Counter[str]()
    for one in run.execution or ():
        made[one.name] += one.times
    each = (made[key[1]] / times for key, times in run.times.items() if is_call(key) and times and made[key[1]])
    return min(each, default=1.0)


def _alike_in_each(numbers: tuple[float, float], rounds: tuple[float, float]) -> bool:
    """True if a program makes as many calls for each of its rounds, but for one, and has other numbers of rounds: so
    all that came before a round is the same."""
    each = [number / of for number, of in zip(numbers, rounds, strict=True)]
    return rounds[0] != rounds[1] and min(each) >= _ONCE and max(each) - min(each) <= max(each) / min(rounds)


def _is_returned(key: ResultKey) -> bool:
    return key.number_of == AMOUNT and key.name in _READING
