# SPDX-License-Identifier: GPL-2.0-only
"""The memory that calls find: other work may have come before them."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from kassay.analysis.work_done import Done, distance
from kassay.analysis.work_results import share_of_kinds, share_of_name
from kassay.model.work import IN_CALLS, OF_OTHERS, Found, FoundByCall, is_asked, is_call

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
    of_call: Callable[[FoundByCall], int] | None = None
    """The same of one call; None where it is not known."""


def _looked(number: Callable[[Found], int | None], unit: int = 1) -> Callable[[Found], float | None]:
    def mean(found: Found) -> float | None:
        whole = number(found)
        return whole / found.looked / unit if found.looked and whole is not None else None

    return mean


_TABLES = _Measure("kB of page tables", _looked(lambda found: found.table_bytes, _KB), 64, decides=True,
                   of_call=lambda call: call.table_kb)  # fmt: skip
_MEMORY = (
    _Measure("kB of memory", _looked(lambda found: found.bytes, _KB), 16, of_call=lambda call: call.kb),
    _Measure("kB in swap", _looked(lambda found: found.swapped_bytes, _KB), 16, of_call=lambda call: call.swapped_kb),
    _Measure("kB of a file", lambda found: found.cached_bytes / found.files / _KB if found.files else None, 16,
             of_call=lambda call: call.cached_kb),
    _Measure("kB in huge pages", _looked(lambda found: found.huge_bytes, _KB), 0, decides=True,
             of_call=lambda call: call.huge_kb),
    _Measure("mappings", _looked(lambda found: found.mappings), 4, of_call=lambda call: call.mappings),
    _TABLES,
)  # fmt: skip
PAGES, PAGES_APART = 32, 0.01
"""Pages, and part of them, by which runs may differ: kernels have other page tables and slabs."""
_ORDER = _Measure("earlier calls", lambda found: found.before / found.calls if found.calls else None, 4)

_END = "exit_group"


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
        apart = (*_found(name, measures, base, head), *_found_in_region(name, measures, base, head))
        rows += sorted(apart, key=lambda row: -row.share)[:1]
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
    if more > max(PAGES, _APART * most):
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
                continue
            worst = max((_in_region(measure, name, runs[0], run) for run in runs[1:]), default=_ALIKE)
            if worst.part > _APART:
                share = share_of_name(name, runs[0])
                low, high = sorted((worst.base, worst.head))
                yield FoundByChance(_call(name), measure.noun, low, high, share * worst.part)


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


class _Apart(NamedTuple):
    """Other memory that as many calls of a name as a region makes may have found."""

    part: float
    """Part by which it differs, of what those calls found."""
    base: float
    """Memory that the call found which differs most."""
    head: float


_ALIKE = _Apart(0.0, 0.0, 0.0)


def _found_in_region(
    name: str, measures: Sequence[_Measure], base: Sequence[Done], head: Sequence[Done]
) -> Iterator[FoundApart]:
    share = max(share_of_name(name, side[0]) for side in (base, head))
    asked = max(share_of_kinds(is_asked, side[0]) for side in (base, head))
    for measure in measures:
        apart = _in_region(measure, name, base[0], head[0])
        within = (_in_region(measure, name, side[0], run).part for side in (base, head) for run in side[1:])
        if apart.part > max(within, default=0.0):
            carried = min(1.0, asked) if measure.decides else share
            yield FoundApart(_call(name), measure.noun, apart.base, apart.head, carried * apart.part)


def _in_region(measure: _Measure, name: str, first: Done, second: Done) -> _Apart:
    """The largest difference in memory that the calls of a region may have found: it is not known which calls of a name
    a region made, so those that differ most are taken. Returns _ALIKE if all calls of the name are in the region, as
    their mean is compared, or if the numbers of calls differ."""
    each = [run.found[name].each if name in run.found else None for run in (first, second)]
    inside = round(max(run.inside.get(name, 0.0) for run in (first, second)))
    if measure.of_call is None or not first.region or each[0] is None or each[1] is None:
        return _ALIKE
    calls = [sum(step.times for step in steps) for steps in each if steps is not None]
    if calls[0] != calls[1] or not 0 < inside < calls[0]:
        return _ALIKE
    found = [(times, measure.of_call(one), measure.of_call(other)) for times, one, other in _together(each[0], each[1])]
    found.reverse()  # of calls that differ by as much the last one is told: a region comes behind its set-up
    found.sort(key=lambda row: -abs(row[1] - row[2]))
    more, most, left = 0.0, 0.0, inside
    for times, one, other in found:
        taken = min(times, left)
        more += taken * abs(one - other) if abs(one - other) > measure.few else 0
        most += taken * max(one, other)
        left -= taken
    return _Apart(more / most, found[0][1], found[0][2]) if more else _ALIKE


def _together(
    first: Sequence[FoundByCall], second: Sequence[FoundByCall]
) -> Iterator[tuple[int, FoundByCall, FoundByCall]]:
    """(number of calls, what they found in one run, what they found in the other), of as many calls in both."""
    ends = [list(accumulate(step.times for step in steps)) for steps in (first, second)]
    at = 0
    for end in sorted({*ends[0], *ends[1]}):
        yield end - at, first[bisect_right(ends[0], at)], second[bisect_right(ends[1], at)]
        at = end
