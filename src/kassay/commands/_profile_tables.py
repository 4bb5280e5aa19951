# SPDX-License-Identifier: GPL-2.0-only
"""Tables of `kassay profile`: the functions of a source file on each kernel, and one kernel's cost by source line."""

from collections.abc import Sequence

from kassay.analysis.itemised import Profiled
from kassay.evidence.profile.coverage import CoverageRow
from kassay.evidence.profile.lines import LineCost
from kassay.model.texts import Table, cells, counted, one_line
from kassay.model.units import format_number
from kassay.report.columns import Column, summed

_ROOT = ("/mm/", "/kernel/", "/lib/", "/arch/", "/include/", "/fs/", "/guest/")


def coverage_table(source: str, kernels: Sequence[str], rows: Sequence[CoverageRow], at: str = "") -> Table:
    """A row for each function, a column for each kernel: calls and cost per operation, or why it was not executed.

    at: the setting, if there are several.
    """
    table_rows = [cells(row.function, *(_coverage(row, index) for index in range(len(kernels)))) for row in rows]
    title = one_line(source) + (f" ({at})" if at else "")
    title = f"{title}: calls / instructions, per operation"
    return Table(title=title, columns=("function", *map(one_line, kernels)), rows=tuple(table_rows))


def _coverage(row: CoverageRow, index: int) -> str:
    if not row.calls[index] and not row.counts[index]:
        return row.states[index]
    return f"{format_number(row.calls[index])} / {format_number(row.counts[index])}"


def lines_table(of: Profiled, rows: Sequence[LineCost], top: int) -> Table:
    """A row for each source line, largest cost first; rows for omitted lines and the total. top: 0 for all."""
    per = of.profile.operations
    shown = rows[: top or None]
    left = len(rows) - len(shown)
    column = Column([row.count / per for row in shown], [], sum(row.count for row in rows) / per)
    (figures,), names = summed([column], [], counted(left, "more line") if left else "")
    names = [*(f"{_location(row)}  {_function(row)}" for row in shown), *names]
    at = f" ({of.where})" if of.where else ""
    title = one_line(f"{of.profile.phase}: {of.profile.kernel}{at} [{of.unit}]")
    table_rows = tuple(cells(*row) for row in zip(names, figures, strict=True))
    return Table(title=title, columns=("line, function", "count"), rows=table_rows, numeric=(1,))


def _location(row: LineCost) -> str:
    if row.file is None:
        return "-"
    outside = row.file.startswith("/")  # of another build: the path of its sources is not known
    start = max((row.file.rfind(part) for part in _ROOT), default=-1) if outside else -1
    return one_line(f"{row.file[start + 1 :]}:{row.line if row.line is not None else '?'}")


def _function(row: LineCost) -> str:
    return one_line(" in ".join((row.function, *row.inlined_into)))
