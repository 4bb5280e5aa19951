# SPDX-License-Identifier: GPL-2.0-only
"""Table of the functions of a source file that the measured region executed, kernels side by side."""

from collections.abc import Sequence

from kassay.evidence.profile.coverage import CoverageRow
from kassay.model.texts import Table, cells, one_line
from kassay.model.units import format_number


def coverage_table(source: str, kernels: Sequence[str], rows: Sequence[CoverageRow], at: str = "") -> Table:
    """A row for each function, a column for each kernel: calls and cost per operation, or why it was not executed.

    at: the setting, if there are several.
    """
    table_rows = [cells(row.function, *(_state(row, index) for index in range(len(kernels)))) for row in rows]
    title = one_line(source) + (f" ({at})" if at else "")
    title = f"{title}: calls / instructions, per operation"
    return Table(title=title, columns=("function", *map(one_line, kernels)), rows=tuple(table_rows))


def _state(row: CoverageRow, index: int) -> str:
    if not row.calls[index] and not row.counts[index]:
        return row.states[index]
    return f"{format_number(row.calls[index])} / {format_number(row.counts[index])}"
