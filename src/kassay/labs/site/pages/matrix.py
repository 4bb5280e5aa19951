# SPDX-License-Identifier: GPL-2.0-only
"""Matrix pages: rows by kernels, coloured by change against the neighbour on the left."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import structs

from kassay.labs.site.model import SiteKernel, SiteSeries, SiteStep
from kassay.labs.site.pages.addresses import matrix_path, segment, step_path
from kassay.labs.site.pages.entries import ALL_KERNELS, NEWEST, Book
from kassay.labs.site.pages.lookup import Placed
from kassay.labs.site.pages.outcomes import SHOWN, cell_text, counts_text
from kassay.labs.site.pages.render import Renderer
from kassay.model.records import grouped
from kassay.model.texts import counted
from kassay.model.units import format_change, relative_change

_COUNTS = "Each cell is the change of an exact count of instructions against the nearest measured kernel on its left."
_LOADS = (
    "Each cell is the change of loads and stores that the measured task executes. They are counted in recorded rounds, "
    "so only comparisons with a recording have them."
)
_TIMES = (
    "Each cell is the change of time that a model of this CPU predicts, with its interval. Only steps have a "
    "prediction. It stands beside the count and is never combined with it."
)

ACCESSES, _TIME = "accesses", "time-"
"""Views by another cost: their name, or its beginning."""
_HAS = {ACCESSES: "recording", _TIME: "prediction"}
_PAGE, _ROW, _CELL = 260_000, 400, 45
"""Bytes: of a page, of the head of a row, and of a cell without its link."""


class Shown(NamedTuple):
    """One matrix page."""

    arch: str
    view: str
    text: str
    columns: list[SiteKernel]
    address: str


def matrices(book: Book, renderer: Renderer) -> Iterator[tuple[str, bytes]]:
    """All matrix pages."""
    lookup = book.lookup
    for arch in lookup.archs:
        columns = lookup.columns[arch]
        cpus = sorted({p.cpu for step in lookup.notable.values() if step.arch == arch for p in step.predictions})
        all_ = (ALL_KERNELS, f"instructions, all {counted(len(columns), 'kernel')}")
        newest = ("", f"instructions, newest {NEWEST} kernels") if len(columns) > NEWEST else ("", all_[1])
        times = [(f"{_TIME}{cpu}", f"predicted time, {cpu}") for cpu in cpus]
        if any(step.accesses for step in lookup.steps.values() if step.arch == arch):
            times.insert(0, (ACCESSES, "loads and stores"))
        views = [newest, *([all_] if len(columns) > NEWEST else []), *times]
        for view, text in (newest, all_, *times):
            chunks = _chunks(book, arch, columns if view == ALL_KERNELS else columns[-NEWEST:])
            parts = [
                (matrix_path(arch, view) + (f"/{number}" if number > 1 else ""), f"{part[0].name} to {part[-1].name}")
                for number, part in enumerate(chunks, 1)
            ]
            for (address, _), part in zip(parts, chunks, strict=True):
                shown = Shown(arch=arch, view=view, text=text, columns=part, address=address)
                yield _matrix(book, renderer, shown, views, parts if len(parts) > 1 else [])


def _chunks(book: Book, arch: str, columns: Sequence[SiteKernel]) -> list[list[SiteKernel]]:
    """Columns in pages of a limited size, the newest first."""
    sizes = dict.fromkeys((kernel.key for kernel in columns), 0)
    for series in book.lookup.rows.get(arch, ()):
        for placed in book.lookup.row(series)[-len(columns) :]:
            sizes[placed.kernel.key] += len(_href(book, series, placed)) + _CELL
    chunks: list[list[SiteKernel]] = [[]]
    room = _PAGE - _ROW * len(book.lookup.rows.get(arch, ()))
    left = room
    for kernel in reversed(columns):
        if chunks[-1] and sizes[kernel.key] > left:
            chunks.append([])
            left = room
        chunks[-1].insert(0, kernel)
        left -= sizes[kernel.key]
    return chunks


def _matrix(
    book: Book, renderer: Renderer, shown: Shown, views: Sequence[tuple[str, str]], parts: Sequence[tuple[str, str]]
) -> tuple[str, bytes]:
    lookup, arch, columns, view = book.lookup, shown.arch, shown.columns, shown.view
    cost = ACCESSES if view == ACCESSES else _TIME if view.startswith(_TIME) else ""
    places = slice(*(lookup.columns[arch].index(one) + end for end, one in enumerate((columns[0], columns[-1]))))
    rows = lookup.rows.get(arch, [])
    words = [placed.outcome for series in rows for placed in lookup.row(series)[places]]
    made = [(series.group, _row(book, series, places, view)) for series in rows]
    newest = columns[-1]
    into = [] if cost else book.entries(lookup.into(arch, newest.key))
    return renderer.page(
        "matrix.html.j2", shown.address, arch=arch, archs=lookup.archs, view=shown.text if shown.view else "",
        current=view, parts_of=parts, views=views, sense={ACCESSES: _LOADS, _TIME: _TIMES}.get(cost, _COUNTS),
        counts=_recorded(made, cost) if cost else counts_text(words), newest=newest, cost=cost,
        caption=f"{len(rows)} rows by {len(columns)} kernels of {arch}; lower is better",
        top=sorted(into, key=lambda one: not one.series.primary),
        columns=_columns(book, arch, columns),
        groups=list(grouped(made).items()),
    )  # fmt: skip


def _recorded(rows: Sequence[tuple[str, dict[str, Any]]], cost: str) -> str:
    """Line above a matrix of a cost that recorded rounds alone have."""
    texts = [text for _, row in rows for _, text, _ in row["cells"]]
    return f"{len(texts)} cells, {sum(text != '–' for text in texts)} with a {_HAS[cost]}"


def _columns(book: Book, arch: str, columns: Sequence[SiteKernel]) -> list[dict[str, Any]]:
    """Heads of the columns: the compiler, and what else differs from the column on the left."""
    all_ = book.lookup.columns[arch]
    left = dict(zip((one.key for one in all_[1:]), all_, strict=False))
    found = []
    for kernel in columns:
        kinds = ", ".join(book.kinds(arch, left[kernel.key].key, kernel.key)) if kernel.key in left else ""
        found.append({"kernel": kernel, "compiler": kernel.compiler, "confounders": f"≠ {kinds}" if kinds else ""})
    return found


def _row(book: Book, series: SiteSeries, places: slice, view: str) -> dict[str, Any]:
    placed = book.lookup.row(series)[places]
    if view == ACCESSES:
        cells = [_access_cell(book, series, one) for one in placed]
    elif view.startswith(_TIME):
        cells = [_time_cell(one, view.removeprefix(_TIME)) for one in placed]
    else:
        cells = [(one.outcome, cell_text(one.outcome, one.step), _href(book, series, one)) for one in placed]
    changes = [(one.outcome, one.step) for one in placed if one.outcome in SHOWN and one.step]
    most = max((step.size for _, step in changes), default=0.0)
    ways = " ".join(sorted({word for word, _ in changes}))
    cell_words = {word for word, _, _ in cells}
    is_quiet = cell_words <= {"absent"} if view.startswith(_TIME) else cell_words.isdisjoint(SHOWN)
    return {"series": series, "cells": cells, "most": f"{most:.6g}", "ways": ways, "quiet": is_quiet}


def _href(book: Book, series: SiteSeries, placed: Placed) -> str:
    """Link of a cell, below the site; "" for one that has nothing more to say."""
    step = placed.step
    if placed.outcome == "failed":
        return "status/index.html#failed"
    if step is None:
        return ""
    if placed.outcome in SHOWN:
        return f"{step_path(*step.pair)}/index.html"
    if placed.outcome in ("refused", "inconclusive"):
        address = book.compared_href(step.arch, step.before, step.after)
        return f"{address}/index.html?all=1#{segment(series.key)}" if address else ""
    return ""


def _access_cell(book: Book, series: SiteSeries, placed: Placed) -> tuple[str, str, str]:
    step = placed.step
    if step is None or step.accesses is None or placed.outcome == "refused":
        return "absent", "–", ""
    before, after = step.accesses
    change = 0.0 if before == after else relative_change(before, after)
    if change is None:
        return "absent", "–", ""
    word = "equal" if not change else "small" if abs(change) <= step.margin else "worse" if change > 0 else "better"
    return word, cell_text(word, structs.replace(step, change=change)), _href(book, series, placed)


def _time_cell(placed: Placed, cpu: str) -> tuple[str, str, str]:
    step: SiteStep | None = placed.step if placed.outcome in SHOWN else None
    found = next((one for one in step.predictions if one.cpu == cpu), None) if step else None
    if step is None or found is None:
        return "absent", "–", ""
    arrow = "▲" if found.change > 0 else "▼"
    word = "small" if found.low <= 0 <= found.high else "worse" if found.change > 0 else "better"
    interval = f"{format_change(found.low)} to {format_change(found.high)}"
    text = f"{arrow} {format_change(found.change)} ({interval})".replace(" %", "\u00a0%")
    return word, text, f"{step_path(*step.pair)}/index.html"
