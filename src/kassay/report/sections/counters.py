# SPDX-License-Identifier: GPL-2.0-only
"""The kernels' own counters as tables: events of an operation, levels after the measured region, and of
several CPUs what they asked of each other."""

import re
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from msgspec import structs

from kassay.model.finding import Counter, Finding
from kassay.model.report import Counted, PointCounters, Report
from kassay.model.texts import Table, cells, figures, machine_text, settings_text, table
from kassay.model.units import format_change, format_number, relative_change
from kassay.report.document import PAGE, Section, filled
from kassay.report.sections.brief import FUNCTION, GROUPS, first_tables
from kassay.report.series import ladders

_BETWEEN_CPUS = ("ipi.", "tlb.", "nr_tlb", "cpu", "ran.")
_OF_LEAVING = re.compile(r"cpu\d+\.ran")
"""Counters that have the time of a task only when it leaves its CPU, that before the measured region included."""


def counters_tables(report: Report) -> tuple[Table, ...]:
    """A table for each primary comparison that has counters."""
    return tuple(_table(f, f.counters, "What the kernels counted", folded=True) for f in _counted(report))


def contention_tables(report: Report) -> tuple[Table, ...]:
    """Tables for comparisons with several CPUs: interrupts between them, TLB flushes, and on which CPU the work ran."""
    several = [f for f in _counted(report) if (f.machine.cpus or 1) > 1]
    pairs = ((f, [counter for counter in f.counters if counter.name.startswith(_BETWEEN_CPUS)]) for f in several)
    return tuple(_table(f, rows, "Between CPUs", note=" (ran: ns)") for f, rows in pairs if rows)


def _counted(report: Report) -> Iterable[Finding]:
    return (f for f in report.findings if f.primary and f.counters)


def _table(f: Finding, counters: Sequence[Counter], title: str, *, note: str = "", folded: bool = False) -> Table:
    where = f"{settings_text(f.settings)}; {machine_text(f.machine)}"
    operation = f.unit.partition("/")[2] or "operation"
    columns = ("counter", *figures(*f.kernels, "change"), "what was counted")
    rows = (
        cells(c.name, format_number(c.base), format_number(c.head), format_change(relative_change(c.base, c.head)),
              c.definition)
        for c in counters
    )  # fmt: skip
    boots = f"n = {f.n_base}" if f.n_base == f.n_head else f"n = {f.n_base} and {f.n_head}"
    return table(f"{title}, per {operation}{note} ({where}; {boots})", columns, rows, folded=folded)


def levels_tables(report: Report) -> tuple[Table, ...]:
    """A table for each point whose kernels differ in a level; values are the mean of the boots."""
    levels = ((point, [row for counter in point.counters if (row := _level(counter))]) for point in report.counters)
    return tuple(_levels(point, rows) for point, rows in levels if rows)


def _level(counter: Counted) -> tuple[str, ...]:
    """Name, each kernel's mean, definition; () for an event, and where all kernels have the same mean."""
    if counter.kind != "level":
        return ()
    means = [fmean(values) if (values := [n for n in side if n is not None]) else None for side in counter.runs]
    return (counter.name, *map(format_number, means), counter.definition) if len({*means}) > 1 else ()


def _levels(point: PointCounters, rows: Iterable[Sequence[str]]) -> Table:
    where = f"{settings_text(point.settings)}; {machine_text(point.machine)}"
    columns = ("level", *figures(*point.kernels), "what it is")
    boots = ", ".join(dict.fromkeys(str(len(runs)) for runs in point.operations))
    title = f"What stood differently after the measured region ({where}; n = {boots})"
    return table(title, columns, (cells(*row) for row in rows), folded=True)


_COUNTERS = (
    "Events that the kernels counted themselves while the primary metric was measured, divided by its operations. "
    "Counters of the whole region include what the audit itself did beside it. Levels are the mean of the boots.",
)


def counters(report: Report) -> Iterator[Section]:
    """On a screen what several CPUs asked of each other, unless of a ladder: it is too much for one screen. On a page
    all of the kernels' own counters. Of many workloads, a table for each would fill most of the page."""
    between = contention_tables(report)
    narrow = (
        structs.replace(
            t, columns=t.columns[:3], rows=tuple(row[:3] for row in t.rows if not _OF_LEAVING.fullmatch(row[0].text))
        )
        for t in between
    )
    shown = [t for t in narrow if t.rows]
    yield from first_tables(report, () if ladders(report) else shown[:GROUPS], FUNCTION)
    if report.overview is None:
        counted = (*between, *counters_tables(report), *levels_tables(report))
        yield from filled("What the kernels counted", text=_COUNTERS, tables=counted, readers=(PAGE,))
