# SPDX-License-Identifier: GPL-2.0-only
"""What the kernels counted themselves, as tables: all of it, and of several CPUs what they asked of each other."""

from collections.abc import Iterable, Sequence

from kassay.model.finding import Counter, Finding
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, machine_text, settings_text, table
from kassay.model.units import format_number

_BETWEEN_CPUS = ("ipi.", "tlb.", "nr_tlb", "cpu", "ran.")


def counters_tables(report: Report) -> tuple[Table, ...]:
    """One for each primary comparison that has counters."""
    return tuple(_table(f, f.counters, "What the kernels counted", folded=True) for f in _counted(report))


def contention_tables(report: Report) -> tuple[Table, ...]:
    """The same of comparisons with several CPUs: interrupts between them, TLB flushes, and what ran where."""
    several = [f for f in _counted(report) if (f.machine.cpus or 1) > 1]
    found = ((f, [one for one in f.counters if one.name.startswith(_BETWEEN_CPUS)]) for f in several)
    return tuple(_table(f, rows, "Between CPUs") for f, rows in found if rows)


def _counted(report: Report) -> Iterable[Finding]:
    return (f for f in report.findings if f.primary and f.counters)


def _table(f: Finding, counters: Sequence[Counter], title: str, *, folded: bool = False) -> Table:
    where = f"{settings_text(f.settings)}; {machine_text(f.machine)}"
    operation = f.unit.partition("/")[2] or "operation"
    columns = ("counter", *figures(f.sides[0].kernel, f.sides[1].kernel), "what was counted")
    rows = (cells(one.name, _number(one.base), _number(one.head), one.definition) for one in counters)
    return table(f"{title}, per {operation} ({where})", columns, rows, folded=folded)


def _number(value: float | None) -> str:
    return "-" if value is None else format_number(value)
