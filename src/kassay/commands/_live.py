# SPDX-License-Identifier: GPL-2.0-only
"""Progress as a terminal shows it: one line for each stage, then the runs of each cell and host.

Quick to import: rich is loaded when the first event is drawn.
"""

import re
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress, TaskID

    from kassay.model.progress import CellCount, HostCount, RunCounts, Tell
    from kassay.model.progress import Progress as Event
    from kassay.report.columns import ScreenLine

_AROUND = 8
"""Lines of a terminal that are left for the stages, for hosts' headings and for the prompt."""
_LEAST = 4
_BETWEEN_RUNS = ("look", "cluster")
"""Stages whose events come while runs are made; any other stage ends the table of runs."""
_HOSTS = 8
_NAME = 40
_COUNT = re.compile(r"(repeat )?\d+(/| of )\d+")


def key_of(event: "Event") -> str:
    """Events with the same key share a line: those that count (`3/20`), all compilations, and each download."""
    counting = event.stage == "compile" or _COUNT.match(event.subject)
    return event.stage if counting else f"{event.stage} {event.subject}"


def live(drawn: ExitStack) -> "Tell":
    """A Tell that draws from the first event until `drawn` is closed; safe to call from several threads."""
    rows: dict[str, TaskID] = {}
    lock = threading.Lock()
    bars: list[Progress] = []
    counted: list[RunCounts] = []

    def tell(event: "Event") -> None:
        key = key_of(event)
        total = 1.0 if event.done is not None else None
        with lock:
            if not bars:
                bars.append(drawn.enter_context(_bars(counted)))
            if event.counts is not None or event.stage not in _BETWEEN_RUNS:
                counted[:] = [event.counts] if event.counts is not None else []
            if key not in rows:
                rows[key] = bars[0].add_task(event.subject, total=total, stage=event.stage, text="")
            if not event.passing:
                bars[0].update(rows[key], text=event.text.replace("[", "\\["))
            bars[0].update(rows[key], description=event.subject, completed=event.done or 0.0, total=total)

    return tell


def _bars(counted: "list[RunCounts]") -> "Progress":
    """counted: the last counts, if there are any."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.text import Text

    console = Console(stderr=True)

    class Bars(Progress):
        def get_renderables(self) -> "Iterable[RenderableType]":
            yield self.make_tasks_table(self.tasks)
            size = console.size
            lines = count_lines(counted[0], size.width, size.height - _AROUND) if counted else ()
            yield from (Text(line.text, line.style, no_wrap=True) for line in lines)

    columns = (
        TextColumn("{task.fields[stage]:>9}"), BarColumn(bar_width=24),
        TextColumn("{task.description} [dim]{task.fields[text]}", markup=True), TimeElapsedColumn(),
    )  # fmt: skip
    return Bars(*columns, console=console, transient=True)


def count_lines(counts: "RunCounts", width: int, height: int) -> "list[ScreenLine]":
    """Runs made of those planned, a row for each point and a column for each kernel, then the hosts;
    about `height` lines of at most `width` columns. Points with runs under way come first, finished ones last."""
    from kassay.model.records import grouped
    from kassay.model.texts import cells, figures, table
    from kassay.model.units import format_duration
    from kassay.report.columns import ScreenLine, aligned, room_for_names

    of_point = grouped((cell.point, cell) for cell in counts.cells)
    hosts = _host_lines(counts.hosts)
    room = max(_LEAST, height - len(hosts))
    ordered = sorted(of_point, key=lambda point: _rank(of_point[point]))
    rows = [(counts.points[point], *_row(of_point[point], len(counts.kernels))) for point in sorted(ordered[:room])]
    grid = table("", ("", *figures(*counts.kernels)), [cells(*row) for row in rows])
    if _wide(grid.columns, rows) > width:
        rows = [(row[0], _together(of_point[point])) for row, point in zip(rows, sorted(ordered[:room]), strict=True)]
        grid = table("", ("", *figures("runs")), [cells(*row) for row in rows])
    lines = [ScreenLine(""), *aligned(grid, width, min(_NAME, room_for_names(grid, width)))]
    if left := ordered[room:]:
        done = sum(1 for point in left if _rank(of_point[point]) == _FINISHED)
        lines.append(ScreenLine(f"  and {len(left)} more, {done} of them finished", "dim"))
    if counts.left_s is not None:
        lines.append(ScreenLine(f"  about {format_duration(counts.left_s)} left for all planned runs", "dim"))
    return [*lines, *(ScreenLine(line, "dim") for line in hosts)]


_UNDER_WAY, _OPEN, _FINISHED = range(3)


def _rank(cells: "Sequence[CellCount]") -> int:
    if any(cell.under_way for cell in cells):
        return _UNDER_WAY
    return _FINISHED if all(cell.ok + cell.lost >= cell.planned for cell in cells) else _OPEN


def _row(cells: "Sequence[CellCount]", kernels: int) -> list[str]:
    texts = ["-"] * kernels
    for cell in cells:
        texts[cell.kernel] = _runs_text(cell.ok, cell.planned, cell.under_way, cell.failed)
    return texts


def _together(cells: "Sequence[CellCount]") -> str:
    return _runs_text(
        *(sum(getattr(cell, name) for cell in cells) for name in ("ok", "planned", "under_way", "failed"))
    )


def _runs_text(ok: int, planned: int, under_way: int, failed: int) -> str:
    """ "3/10", with those under way and the attempts that failed: "3/10 +2, 1 failed"."""
    now = f" +{under_way}" if under_way else ""
    return f"{ok}/{planned}{now}{f', {failed} failed' if failed else ''}"


def _wide(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Width of a table that is not split."""
    return sum(2 + max(len(text) for text in texts) for texts in zip(columns, *rows, strict=True))


def _host_lines(hosts: "Sequence[HostCount]") -> list[str]:
    """The runs of each host; nothing if this host makes all of them."""
    if all(not host.host for host in hosts):
        return []
    shown = [
        f"  {host.host or 'this host'}: {host.ok} ok{f', {host.failed} failed' if host.failed else ''}"
        + ("" if host.seconds is None else f", {host.seconds:.1f} s a run")
        for host in hosts[:_HOSTS]
    ]
    return shown if len(hosts) <= _HOSTS else [*shown, f"  and {len(hosts) - _HOSTS} more hosts"]
