# SPDX-License-Identifier: GPL-2.0-only
"""Values, functions and workloads of a history, as the pages show them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kassay.labs.site.model import SiteCell, SiteFunction, SiteKernel, SiteSeries, SiteWorkload
from kassay.labs.site.rows import Comparison, descriptions, groups_of
from kassay.labs.site.sources import SourceNames
from kassay.model.finding import REFUSED
from kassay.tools.history.archive import Archive

_CALLERS = 5


Place = tuple[str, str, str]
"""Line and key of a row, and key of a kernel."""


def shown_series(
    found: Sequence[Comparison], kernels: Mapping[int, SiteKernel], series: Mapping[int, SiteSeries]
) -> dict[Place, int]:
    """Series whose value a cell shows: the one with most kernels, so that most cells of a row may be compared; if
    several have as many, the one of the latest comparison."""
    members = Counter(number for number, _ in {(c.series, k) for c in found for k in (c.base, c.head)})
    shown: dict[Place, int] = {}
    for one in found:
        row = series.get(one.series)
        for number, value in ((one.base, one.base_value), (one.head, one.head_value)):
            if row is not None and number in kernels and value is not None:
                place = (row.arch, row.key, kernels[number].key)
                shown[place] = max(one.series, shown.get(place, one.series), key=members.__getitem__)
    return shown


def cells_of(
    archive: Archive, found: Sequence[Comparison], kernels: Mapping[int, SiteKernel],
    series: Mapping[int, SiteSeries], shown: Mapping[Place, int],
) -> tuple[SiteCell, ...]:  # fmt: skip
    """A cell for each value, and for each kernel whose comparison failed. What has none was not measured."""
    floors = {(row[0], row[1]): row[2] for row in archive.rows(
        "SELECT series, kernel, CASE WHEN all_runs > 1 AND value > 0 THEN (highest - lowest) / value END FROM t_points"
    )}  # fmt: skip
    groups = groups_of([one for one in found if {one.base, one.head} <= kernels.keys()])
    cells: dict[Place, SiteCell] = {}
    for comparison in found:
        row = series.get(comparison.series)
        if row is None:
            continue
        sides = (
            (comparison.base, comparison.base_value, comparison.base_n, False),
            (comparison.head, comparison.head_value, comparison.head_n, comparison.verdict in REFUSED),
        )
        for number, value, n, refused in sides:
            if number not in kernels:
                continue
            place = (row.arch, row.key, kernels[number].key)
            if shown.get(place, comparison.series) != comparison.series:
                continue
            reason = comparison.detail.reasons[0] if comparison.detail.reasons and (refused or value is None) else ""
            state = "failed" if value is None else "refused" if refused else "measured"
            old = cells.get(place)
            if number == comparison.base and old is not None and old.state == "refused" and state == "measured":
                state, reason = "refused", old.reason  # only a comparison with a kernel before it admits it
            cell = SiteCell(
                series=row.key, arch=row.arch, kernel=kernels[number].key, state=state, value=value, n=n,
                floor=floors.get((comparison.series, number)), reason=reason,
                group=groups.get((comparison.series, number), -1 - number),
            )  # fmt: skip
            if old is None or value is not None:
                cells[place] = cell
    return tuple(cells.values())


def workloads_of(archive: Archive, series: Iterable[SiteSeries]) -> tuple[SiteWorkload, ...]:
    """The workloads of these rows. One that the history does not describe has its name alone."""
    known = descriptions(archive)
    found = []
    for name in dict.fromkeys(row.workload for row in series):
        workload = known.get(name)
        if workload is None:
            found.append(SiteWorkload(name=name, group="applications", summary="", state=""))
        else:
            parameters = tuple(
                (parameter.name, f"{parameter.summary}; default {parameter.default}")
                for parameter in workload.parameters
            )
            found.append(SiteWorkload(
                name=name, group=workload.group, summary=workload.summary, state=workload.state, parameters=parameters
            ))  # fmt: skip
    return tuple(found)


def functions_of(
    archive: Archive, kernels: Mapping[int, SiteKernel], series: Mapping[int, SiteSeries], names: SourceNames,
    shown: Mapping[Place, int],
) -> tuple[SiteFunction, ...]:  # fmt: skip
    """Every kernel function that a workload executed, with its costs in the series that the cells show."""
    costs: dict[str, dict[Place, tuple[float, float]]] = {}
    sizes: dict[str, dict[tuple[str, str], int]] = {}
    callers: dict[str, Counter[str]] = {}
    for number, kernel, function, own, calls, called_by, size in archive.rows(
        "SELECT series, kernel, function, own, calls, callers, bytes FROM t_functions ORDER BY function, series, kernel"
    ):
        row, column = series.get(number), kernels.get(kernel)
        if row is None or column is None or shown.get((row.arch, row.key, column.key), number) != number:
            continue
        costs.setdefault(function, {})[row.arch, row.key, column.key] = (own, calls)
        if size:
            sizes.setdefault(function, {})[row.arch, column.key] = size
        callers.setdefault(function, Counter()).update((called_by or "").split())
    return tuple(
        SiteFunction(
            name=name, file=names.files.get(name, ""), maintainers=names.recipients([name]),
            callers=tuple(caller for caller, _ in callers[name].most_common(_CALLERS)),
            costs=tuple((*place, *cost) for place, cost in by_place.items()),
            sizes=tuple((*place, size) for place, size in sizes.get(name, {}).items()),
        )
        for name, by_place in costs.items()
    )  # fmt: skip
