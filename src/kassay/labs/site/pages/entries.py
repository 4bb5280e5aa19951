# SPDX-License-Identifier: GPL-2.0-only
"""Rows of the tables of steps, and facts that several pages share."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import structs

from kassay.labs.site.model import FunctionCost, SiteKernel, SiteSeries, SiteStep
from kassay.labs.site.pages.addresses import compare_path, function_path, minor, step_path
from kassay.labs.site.pages.drawing import chart
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.outcomes import SHOWN, outcome
from kassay.labs.site.pages.revisions import Revised
from kassay.model.profile import base_name
from kassay.model.records import Record, grouped

ALL_KERNELS = "all"
NEWEST = 12
"""Columns of the first matrix."""


class Entry(Record, frozen=True, kw_only=True):
    """A row of a table of steps."""

    step: SiteStep
    series: SiteSeries
    outcome: str
    href: str
    """Address of its page; "" if it has none."""
    id: str = ""
    arch: bool = False
    """Names the architecture too."""


class Book:
    """Records of the site, and the pages that exist."""

    def __init__(self, lookup: Lookup, steps: Mapping[str, Revised]) -> None:
        self.lookup = lookup
        self.steps = steps
        self.neighbours = {arch: _pairs(columns, lookup) for arch, columns in lookup.columns.items()}
        self.compared = {
            (arch, before.key, after.key) for arch, pairs in self.neighbours.items() for before, after in pairs
        }
        self.place = {
            (arch, kernel.key): place
            for arch, columns in lookup.columns.items()
            for place, kernel in enumerate(columns)
        }
        self.function_pages = frozenset(_large_functions(lookup))

    def entry(self, step: SiteStep, series: SiteSeries | None = None, *, arch: bool = False) -> Entry:
        """Row of a step."""
        series = series or self.lookup.series[step.arch, step.series]
        address = step_path(*step.pair)
        return Entry(
            step=step, series=series, outcome=outcome(step, series), href=address if address in self.steps else "",
            arch=arch,
        )  # fmt: skip

    def entries(self, steps: Iterable[SiteStep], *, arch: bool = False) -> list[Entry]:
        """Rows of steps, largest change first."""
        return [self.entry(step, arch=arch) for step in sorted(steps, key=lambda step: -step.size)]

    def comparison(self, arch: str, before: str, after: str) -> list[Entry]:
        """Rows of all series with a value on both kernels: shown ones first, by size; then those without a verdict."""
        found = []
        for series in self.lookup.rows.get(arch, ()):
            step = self.lookup.step(series, before, after)
            if step is not None and not step.verdict and not step.functions:
                step = structs.replace(step, functions=self._functions(series, before, after))
            found += [self.entry(step, series)] if step is not None else []
        rank = {"worse": 0, "better": 0, "refused": 1, "inconclusive": 1, "small": 2}
        return sorted(found, key=lambda one: (rank.get(one.outcome, 3), -one.step.size))

    def _functions(self, series: SiteSeries, before: str, after: str) -> tuple[FunctionCost, ...]:
        """Own costs of the functions that changed between two kernels without a comparison, largest change first."""
        row = (series.arch, series.key)
        if not {before, after} <= set(self.lookup.profiled.get(row, ())):
            return ()
        base, head = (self._own_costs[series.arch, kernel].get(series.key, {}) for kernel in (before, after))
        costs = (
            FunctionCost(function=name, base=base.get(name, 0.0), head=head.get(name, 0.0), file=self._file(name))
            for name in base.keys() | head.keys()
        )
        changed = [one for one in costs if one.base != one.head]
        changed.sort(key=lambda one: (-abs(one.head - one.base), one.function))
        return tuple(changed[:_NAMED])

    def _file(self, function: str) -> str:
        return self.lookup.function[function].file

    @cached_property
    def _own_costs(self) -> dict[tuple[str, str], dict[str, dict[str, float]]]:
        """(arch, kernel) -> row -> function -> own cost, of kernels that are compared without being neighbours."""
        wanted = {
            (arch, kernel.key)
            for arch, pairs in self.neighbours.items() for pair in pairs
            if self.place[arch, pair[1].key] - self.place[arch, pair[0].key] != 1 for kernel in pair
        }  # fmt: skip
        wanted |= {
            (series.arch, kernel)
            for series in self.lookup.site.series for placed in self.lookup.row(series)
            if placed.step and not placed.step.verdict for kernel in (placed.step.before, placed.step.after)
        }  # fmt: skip
        found: dict[tuple[str, str], dict[str, dict[str, float]]] = {place: {} for place in wanted}
        for function in self.lookup.site.functions:
            for arch, series, kernel, own, _ in function.costs:
                if (arch, kernel) in found:
                    found[arch, kernel].setdefault(series, {})[function.name] = own
        return found

    def function_page(self, function: str) -> str:
        """Address of a function's page; that of its source function for a compiler's copy; "" if there is none."""
        names = (function, base_name(function))
        return next((function_path(name) for name in names if name in self.function_pages), "")

    def distance(self, step: SiteStep) -> int:
        """Columns between both kernels of a step; 1 for neighbours."""
        return self.place.get((step.arch, step.after), 0) - self.place.get((step.arch, step.before), 0)

    def confounders(self, arch: str, before: str, after: str) -> tuple[str, ...]:
        """Further differences between two kernels, as the comparisons found them. Kernels without a comparison have the
        compiler's, and for every other kind the columns in which it changed."""
        for series in self.lookup.rows.get(arch, ()):
            step = self.lookup.steps.get((arch, series.key, before, after))
            if step is not None and step.confounders:
                return step.confounders
        base, head = self.lookup.kernel[arch, before], self.lookup.kernel[arch, after]
        if base.compiler and head.compiler and base.compiler != head.compiler:
            found = [f"compiler: {base.compiler}, then {head.compiler}"]
        else:
            found = []
        first, last = (self.place.get((arch, key), -1) for key in (before, after))
        if first < 0 or last - first < 2:
            return tuple(found)
        changed = grouped(
            (kind, right.name)
            for left, right in pairwise(self.lookup.columns[arch][first : last + 1])
            for kind in self.kinds(arch, left.key, right.key) if kind != "compiler"
        )  # fmt: skip
        return (*found, *(f"{kind}: changed in {', '.join(names)}" for kind, names in changed.items()))

    def kinds(self, arch: str, before: str, after: str) -> list[str]:
        """Kinds of the further differences, e.g. "configuration"."""
        return list(dict.fromkeys(one.partition(":")[0] for one in self.confounders(arch, before, after)))

    def chart_of(self, series: SiteSeries) -> str:
        """Chart of a row over all kernels."""
        row = self.lookup.row(series)
        values = [placed.cell.value if placed.cell else None for placed in row]
        marks = [placed.outcome if placed.outcome in SHOWN else "" for placed in row]
        title = f"{series.key} on {series.arch}: {series.unit} over the kernels"
        return chart(title, series.unit, [placed.kernel.name for placed in row], values, marks)

    def compared_href(self, arch: str, before: str, after: str) -> str:
        """Page that compares two kernels; "" if there is none."""
        return compare_path(arch, before, after) if (arch, before, after) in self.compared else ""


def _pairs(columns: Sequence[SiteKernel], lookup: Lookup) -> list[tuple[SiteKernel, SiteKernel]]:
    """Neighbours, neighbouring series of releases by their newest kernels, and first to last."""
    neighbours = [(before, kernel) for kernel in columns if (before := lookup.left(kernel)) is not None]
    newest = {minor(kernel.key): kernel for kernel in columns if minor(kernel.key)}
    ends = [(columns[0], columns[-1])] if len(columns) > 1 else []
    return list(dict.fromkeys([*neighbours, *pairwise(newest.values()), *ends]))


_NAMED = 20
"""Functions that a comparison of two kernels names, as many as the history stores for neighbours."""
_SMALLEST_PART = 0.001
"""A function has a page if it costs at least this part of some cell."""


def _large_functions(lookup: Lookup) -> Iterable[str]:
    """Functions that have a page."""
    least = {
        (cell.arch, cell.series, cell.kernel): cell.value * _SMALLEST_PART
        for cell in lookup.site.cells
        if cell.value is not None
    }
    nowhere = float("inf")
    for function in lookup.site.functions:
        if any(own > 0 and own >= least.get((arch, series, kernel), nowhere)
               for arch, series, kernel, own, _ in function.costs):  # fmt: skip
            yield function.name
