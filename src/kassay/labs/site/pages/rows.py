# SPDX-License-Identifier: GPL-2.0-only
"""Pages of workloads and of kernel functions, and their lists."""

from collections.abc import Iterator, Sequence
from typing import Any

from kassay.labs.site.model import SiteFunction, SiteKernel, SiteSeries, SiteWorkload
from kassay.labs.site.pages.addresses import function_path, workload_path
from kassay.labs.site.pages.drawing import sparkline
from kassay.labs.site.pages.entries import Book
from kassay.labs.site.pages.lookup import Lookup, Placed
from kassay.labs.site.pages.outcomes import SHOWN, cell_text, counts_text
from kassay.labs.site.pages.publish import File
from kassay.labs.site.pages.render import Renderer
from kassay.model.profile import base_name
from kassay.model.records import grouped
from kassay.model.units import format_number

_NEWEST = 6
_STEPS = 20
_MOST_ROWS = 900
"""Rows of the tables of one workload, which keep its page below its limit."""
_MARGIN = 0.01
"""Relative change from which a cost is coloured."""
_KEPT = 3
"""Newest kernels of a workload's table that are always shown."""


def workloads(book: Book, renderer: Renderer) -> Iterator[File]:
    """A page for each workload."""
    by_workload = grouped((series.workload, series) for rows in book.lookup.rows.values() for series in rows)
    # A workload of the history may have left the catalogue.
    described = {
        name: book.lookup.workload.get(name) or SiteWorkload(name=name, group=rows[0].group, summary="", state="")
        for name, rows in by_workload.items()
    }
    for name, rows in by_workload.items():
        words = [placed.outcome for series in rows for placed in book.lookup.row(series)]
        yield renderer.page(
            "workload.html.j2", workload_path(name), workload=described[name], counts=counts_text(words),
            blocks=[_block(book, series, _MOST_ROWS // len(rows)) for series in rows],
        )  # fmt: skip
    groups = grouped(
        (rows[0].group, (workload_path(name), name, f"– {summary}" if summary else ""))
        for name, rows in by_workload.items() for summary in (described[name].summary,)
    )  # fmt: skip
    yield renderer.page(
        "list.html.j2", "workload", heading="Workloads", text="One value over all kernels.", groups=list(groups.items())
    )


def _block(book: Book, series: SiteSeries, most: int) -> dict[str, Any]:
    """A row of the matrix with its table. most: rows of the table; beyond them only steps are kept."""
    row = book.lookup.row(series)
    refs = [placed.kernel.ref for placed in row[-2:] if placed.kernel.ref]
    lines = [_line(book, placed, place >= len(row) - _KEPT or place == 0) for place, placed in enumerate(row)]
    kept = [line for place, line in enumerate(lines) if line["href"] or line["keep"] or place >= len(lines) - most]
    return {
        "series": series, "chart": book.chart_of(series), "rows": kept[::-1], "left_out": len(lines) - len(kept),
        "command": " ".join(["kassay compare", series.command, *refs]),
    }  # fmt: skip


def _line(book: Book, placed: Placed, keep: bool) -> dict[str, Any]:
    """A kernel in the table of a workload."""
    step = placed.step
    href = book.entry(step).href if step is not None and placed.outcome in SHOWN else ""
    note = placed.cell.reason if placed.cell else ""
    if not note and step is not None and placed.outcome in ("refused", "inconclusive"):
        note = "; ".join(step.reasons)
    text = cell_text(placed.outcome, step)
    return {**placed._asdict(), "text": text, "href": href, "note": note, "keep": keep}


def functions(book: Book, renderer: Renderer) -> Iterator[File]:
    """A page for each function that costs enough, and the list."""
    counts = {arch: len(rows) for arch, rows in book.lookup.rows.items()}
    listed = [one for one in book.lookup.site.functions if one.name in book.function_pages]
    for function in listed:
        steps = book.entries(book.lookup.steps_by_function.get(base_name(function.name), ()), arch=True)
        steps.sort(key=lambda one: book.distance(one.step) > 1)
        yield renderer.page(
            "function.html.j2", function_path(function.name), function=function, series_count=counts,
            tables=_tables(book, function), steps=steps[:_STEPS], function_pages=book.function_pages,
        )  # fmt: skip
    listed.sort(key=lambda one: (not one.file, not one.file.startswith("mm/"), one.file.rpartition("/")[0], one.name))
    by_file = grouped(
        (one.file.rpartition("/")[0] or "file not known", (function_path(one.name), one.name, "")) for one in listed
    )
    text = f"{len(listed)} of {len(book.lookup.site.functions)} functions cost at least 0.1 % of some cell."
    yield renderer.page(
        "list.html.j2", "function", heading="Functions", text=f"{text} The others are in the JSON.",
        groups=list(by_file.items()),
    )  # fmt: skip


def _tables(book: Book, function: SiteFunction) -> list[tuple[str, list[SiteKernel], list[str], list[dict[str, Any]]]]:
    """(architecture, columns, code sizes, rows) of each architecture."""
    costs: dict[str, dict[str, dict[str, float]]] = {}
    for arch, series, kernel, own, _ in function.costs:
        by_row = costs.setdefault(arch, {})
        if series not in by_row:
            by_row[series] = dict.fromkeys(book.lookup.profiled[arch, series], 0.0)
        by_row[series][kernel] = own
    sizes = {(arch, kernel): size for arch, kernel, size in function.sizes}
    found = []
    for arch, by_series in costs.items():
        columns = book.lookup.columns.get(arch, [])
        shown = _changing(columns, by_series)
        rows = [
            _cost_row(book.lookup, book.lookup.series[arch, series], by_kernel, columns, shown)
            for series, by_kernel in by_series.items() if (arch, series) in book.lookup.series
        ]  # fmt: skip
        bytes_ = [format_number(sizes.get((arch, kernel.key))) for kernel in shown]
        has_sizes = any(text != "-" for text in bytes_)
        found.append((arch, shown, bytes_ if has_sizes else [], sorted(rows, key=lambda row: -row["share"])))
    return found


def _changing(columns: Sequence[SiteKernel], by_series: dict[str, dict[str, float]]) -> list[SiteKernel]:
    """Kernels where the cost of most rows changed, at most _NEWEST; filled with the newest measured ones."""
    measured = [one for one in columns if any(one.key in costs for costs in by_series.values())]
    changes = {kernel.key: 0 for kernel in measured}
    for costs in by_series.values():
        last = None
        for kernel in measured:
            value = costs.get(kernel.key, 0.0)
            changes[kernel.key] += last is not None and value != last
            last = value
    ranked = sorted(measured[:-1], key=lambda one: (-changes[one.key], -measured.index(one)))[: _NEWEST - 1]
    chosen = {one.key for one in ranked} | {measured[-1].key} if measured else set()
    return [one for one in measured if one.key in chosen]


def _cost_cell(value: float | None, last: float | None) -> tuple[str, str]:
    """(text, outcome) of a cost after the cost on the profiled kernel before."""
    if value is None:
        return "–", "absent"
    if last is None or value == last:
        return format_number(value), "equal"
    word = "small" if abs(value - last) <= _MARGIN * abs(last) else "worse" if value > last else "better"
    return ("▲ " if value > last else "▼ ") + format_number(value), word


def _cost_row(
    lookup: Lookup, series: SiteSeries, costs: dict[str, float], columns: Sequence[SiteKernel],
    shown: Sequence[SiteKernel],
) -> dict[str, Any]:  # fmt: skip
    values = [costs.get(kernel.key) for kernel in columns]
    cells, last = [], None
    for kernel, value in zip(columns, values, strict=True):
        if kernel in shown:
            cells.append(_cost_cell(value, last))
        last = value if value is not None else last
    title = f"{series.key}: own cost over {len(columns)} kernels"
    return {
        "series": series, "spark": sparkline(title, values), "cells": cells,
        "share": _share(lookup, series, columns, values),
    }  # fmt: skip


def _share(lookup: Lookup, series: SiteSeries, columns: Sequence[SiteKernel], values: Sequence[float | None]) -> float:
    """Part of the whole value on the newest kernel that has a cost; zero where the value is not known."""
    for kernel, value in zip(reversed(columns), reversed(values), strict=True):
        if value is not None:
            cell = lookup.cell(series.arch, series.key, kernel.key)
            return value / cell.value if cell is not None and cell.value else 0.0
    return 0.0
