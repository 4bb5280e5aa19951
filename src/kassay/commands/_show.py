# SPDX-License-Identifier: GPL-2.0-only
"""What people see while it works: one live line per stage on a terminal, plain lines elsewhere. All on stderr."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from kassay.effects import clock
from kassay.model.progress import Progress as Event
from kassay.model.progress import Tell
from kassay.model.report import Report
from kassay.report.aligned import aligned, room_for_names
from kassay.report.formats import Format
from kassay.report.formats.terminal import render_rich
from kassay.report.tables import Table

_PLAIN_EVERY_S = 2.0
_UNLIMITED = 100_000


def say(text: str, *, error: bool = False) -> None:
    """Writes an answer to stdout (error: stderr) as it is: no markup, no wrapping."""
    Console(stderr=error, highlight=False, markup=False, soft_wrap=True, emoji=False).out(text, end="", highlight=False)


def say_answer(report: Report, form: Format) -> None:
    """Writes a report in one format; the terminal's own format in colour where stdout is a terminal."""
    console = Console(highlight=False)
    if form.name == "terminal" and console.is_terminal:
        console.print(render_rich(report), soft_wrap=True, end="")
    else:
        say(form.render(report))


def say_table(table: Table) -> None:
    """Writes a table to stdout; names are shortened where the terminal is narrow, never in a file or a pipe."""
    console = Console(highlight=False)
    width = max(60, console.width) if console.is_terminal else _UNLIMITED
    text = Text(f"{table.title}\n", style="bold", no_wrap=True)
    for line in aligned(table, width, room_for_names(table, width)):
        text.append(line.text.rstrip() + "\n", style=line.style or "not bold")
    console.print(text, soft_wrap=True, end="")


@contextmanager
def showing() -> Iterator[Tell]:
    """A Tell that shows events until the block ends; safe to call from several threads."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain(console)
        return
    columns = (
        TextColumn("{task.fields[stage]:>9}"), BarColumn(bar_width=24),
        TextColumn("{task.description} [dim]{task.fields[text]}", markup=True), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bars:
        yield _live(bars)


def _live(bars: Progress) -> Tell:
    rows: dict[str, TaskID] = {}
    lock = threading.Lock()

    def tell(event: Event) -> None:
        # Runs share one line; each download has its own.
        key = event.stage if event.stage == "run" else f"{event.stage} {event.subject}"
        with lock:
            if key not in rows:
                rows[key] = bars.add_task(event.subject, total=1.0 if event.done is not None else None,
                                          stage=event.stage, text="")  # fmt: skip
            text = event.text.replace("[", "\\[")
            total = 1.0 if event.done is not None else None
            bars.update(rows[key], description=event.subject, completed=event.done or 0.0, total=total, text=text)

    return tell


def _plain(console: Console) -> Tell:
    last: dict[str, float] = {}
    lock = threading.Lock()

    def tell(event: Event) -> None:
        key = event.stage if event.stage == "run" else f"{event.stage} {event.subject}"
        now = clock.monotonic_s()
        with lock:
            if event.done not in (None, 1.0) and now - last.get(key, -_PLAIN_EVERY_S) < _PLAIN_EVERY_S:
                return
            last[key] = now
            done = "" if event.done is None else f" {event.done:.0%}"
            console.out(f"{event.stage}: {event.subject}{done} {event.text}".rstrip(), highlight=False)

    return tell
