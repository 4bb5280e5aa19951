# SPDX-License-Identifier: GPL-2.0-only
"""The memory that calls find: other work may have come before them."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kassay.analysis.work_done import Done, distance
from kassay.analysis.work_results import share_of_kinds, share_of_name
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
