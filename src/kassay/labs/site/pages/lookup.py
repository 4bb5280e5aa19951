# SPDX-License-Identifier: GPL-2.0-only
"""Records of a Site by their keys, and the cells of each row with the steps into them."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from kassay.labs.site.model import (
    NOT_LINKED,
    Pair,
    Site,
    SiteCell,
    SiteFunction,
    SiteKernel,
    SiteSeries,
    SiteStep,
    SiteWorkload,
)
from kassay.labs.site.pages.outcomes import SHOWN, cell_outcome, outcome
from kassay.model.profile import base_name
from kassay.model.records import grouped
from kassay.model.units import relative_change
from kassay.model.workload import GROUPS

_WHY_NOT = (
    "nobody compared these two kernels, and between them a comparison was refused, is missing, or was made on other "
    "terms (emulator, guest program, rounds)"
)


class Placed(NamedTuple):
    """A cell in its row."""

    kernel: SiteKernel
    cell: SiteCell | None
    step: SiteStep | None
    """Step from the nearest measured kernel on its left; None if there is none."""
    outcome: str
    """Word of OUTCOMES."""


class Lookup:
    """Read-only view of a Site."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.kernels: dict[str, list[SiteKernel]] = grouped((kernel.arch, kernel) for kernel in site.kernels)
        self.columns = {arch: [one for one in all_ if one.column] for arch, all_ in self.kernels.items()}
        self.kernel = {(kernel.arch, kernel.key): kernel for kernel in site.kernels}
        self.series = {(series.arch, series.key): series for series in site.series}
        self.workload: dict[str, SiteWorkload] = {workload.name: workload for workload in site.workloads}
        self.function: dict[str, SiteFunction] = {function.name: function for function in site.functions}
        self.steps: dict[Pair, SiteStep] = {step.pair: step for step in site.steps}
        self._place = {(one.arch, one.key): place for place, one in enumerate(site.kernels)}
        self._cells: dict[tuple[str, str], dict[str, SiteCell]] = {}
        for cell in site.cells:
            self._cells.setdefault((cell.arch, cell.series), {})[cell.kernel] = cell
        self._rows: dict[tuple[str, str], tuple[Placed, ...]] = {}

    @property
    def archs(self) -> list[str]:
        """Lines of kernels that have a column."""
        return [arch for arch, columns in self.columns.items() if columns]

    def cell(self, arch: str, series: str, kernel: str) -> SiteCell | None:
        """None if it was not measured."""
        return self._cells.get((arch, series), {}).get(kernel)

    def place(self, arch: str, kernel: str) -> int:
        """Place of a kernel in the order of releases; -1 if the site does not have it."""
        return self._place.get((arch, kernel), -1)

    def step(self, series: SiteSeries, before: str, after: str) -> SiteStep | None:
        """The compared step; else the one that both values give; None without values."""
        if found := self.steps.get((series.arch, series.key, before, after)):
            return found
        base, head = self.cell(series.arch, series.key, before), self.cell(series.arch, series.key, after)
        if base is None or head is None or base.value is None or head.value is None:
            return None
        is_linked = base.group == head.group
        change = 0.0 if base.value == head.value else relative_change(base.value, head.value)
        floors = [one.floor for one in (base, head) if one.floor is not None]
        return SiteStep(
            series=series.key, arch=series.arch, before=before, after=after,
            change=change if is_linked else None, before_value=base.value, after_value=head.value, n_before=base.n,
            n_after=head.n, verdict="" if is_linked else NOT_LINKED, floor=max(floors, default=None),
            reasons=() if is_linked else (_WHY_NOT,),
        )  # fmt: skip

    def row(self, series: SiteSeries) -> tuple[Placed, ...]:
        """A cell for each column of the row's line."""
        key = (series.arch, series.key)
        if key not in self._rows:
            self._rows[key] = tuple(self._row(series))
        return self._rows[key]

    def _row(self, series: SiteSeries) -> Iterator[Placed]:
        for kernel in self.columns.get(series.arch, ()):
            cell = self.cell(series.arch, series.key, kernel.key)
            step = None
            for left in self.before[kernel.arch, kernel.key]:
                before = self.cell(series.arch, series.key, left.key)
                if before is not None and before.value is not None:
                    step = self.step(series, left.key, kernel.key)
                    break
            yield Placed(kernel, cell, step, cell_outcome(cell, step, series))

    def left(self, kernel: SiteKernel) -> SiteKernel | None:
        """The column that a column is a neighbour of; None for the first one, and for a kernel without a column."""
        return next(iter(self.before.get((kernel.arch, kernel.key), ())), None)

    @cached_property
    def before(self) -> dict[tuple[str, str], list[SiteKernel]]:
        """Columns before each column, the nearest first. Heads of other branches are left out, if nobody compared them
        with it."""
        compared = {(step.arch, step.before, step.after) for step in self.site.steps}
        return {
            (arch, kernel.key): [
                one for one in reversed(columns[:place])
                if one.key not in kernel.apart or (arch, one.key, kernel.key) in compared
            ]
            for arch, columns in self.columns.items() for place, kernel in enumerate(columns)
        }  # fmt: skip

    def placed(self) -> Iterator[tuple[SiteSeries, Placed]]:
        """Every cell with its row, line by line."""
        for arch in self.archs:
            for series in self.rows.get(arch, ()):
                for placed in self.row(series):
                    yield series, placed

    @cached_property
    def rows(self) -> dict[str, list[SiteSeries]]:
        """Rows of each line: primary metrics first inside a group, groups in their order."""
        order = {group: place for place, group in enumerate((*GROUPS[:-1], "applications", GROUPS[-1]))}
        ordered = sorted(
            self.site.series,
            key=lambda one: (order.get(one.group, len(order)), one.group, one.workload, not one.primary),
        )
        return grouped((one.arch, one) for one in ordered)

    @cached_property
    def notable(self) -> dict[Pair, SiteStep]:
        """Steps that have a page: changed ones, and those with a life, a bundle or a mail."""
        found: dict[Pair, SiteStep] = {}
        for pair, step in self.steps.items():
            series = self.series.get(pair[:2])
            if series and (step.life or step.bundle or step.mail or outcome(step, series) in SHOWN):
                found[pair] = step
        for series in self.site.series:
            for placed in self.row(series):
                if placed.step and placed.outcome in SHOWN:
                    found[placed.step.pair] = placed.step
        return found

    @cached_property
    def steps_by_function(self) -> dict[str, list[SiteStep]]:
        """Steps that have a page, by each function that they name; a compiler's copy counts as its function."""
        named = (
            (name, step)
            for step in self.notable.values()
            for name in dict.fromkeys(base_name(cost.function) for cost in step.functions)
        )
        return grouped(named)

    @cached_property
    def profiled(self) -> dict[tuple[str, str], list[str]]:
        """Kernels on which a row has costs of functions. A function without a cost there was not executed."""
        found: dict[tuple[str, str], set[str]] = {}
        for function in self.site.functions:
            for arch, series, kernel, _, _ in function.costs:
                found.setdefault((arch, series), set()).add(kernel)
        return {row: sorted(kernels, key=lambda key: self.place(row[0], key)) for row, kernels in found.items()}

    def into(self, arch: str, kernel: str) -> Iterator[SiteStep]:
        """Shown steps from the left neighbour into a kernel."""
        for series in self.rows.get(arch, ()):
            for placed in self.row(series):
                if placed.kernel.key == kernel and placed.step and placed.outcome in SHOWN:
                    yield placed.step
