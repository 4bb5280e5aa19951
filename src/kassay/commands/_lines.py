# SPDX-License-Identifier: GPL-2.0-only
"""One kernel's profile by source line, with the functions that were inlined there."""

from collections.abc import Sequence

from kassay.model.units import format_number
from kassay.profile.lines import LineCost
from kassay.profiles import Profiled
from kassay.report.tables import Table, cells
from kassay.report.words import one_line

_ROOT = ("/mm/", "/kernel/", "/lib/", "/arch/", "/include/", "/fs/", "/guest/")


def lines_table(of: Profiled, rows: Sequence[LineCost], top: int) -> Table:
    """A line a row, dearest first; what is left out and the total make the column add up. top: 0 for all."""
    per = of.profile.operations
    shown = rows[: top or None]
    found = [cells(f"{_place(row)}  {_function(row)}", format_number(row.count / per)) for row in shown]
    total, left = sum(row.count for row in rows), sum(row.count for row in rows[len(shown) :])
    if len(shown) < len(rows):
        found.append(cells(f"{len(rows) - len(shown)} more lines", format_number(left / per)))
    found.append(cells("total", format_number(total / per)))
    title = f"{one_line(of.profile.phase)}: {one_line(of.profile.kernel)} [{one_line(of.unit)}]"
    return Table(title=title, columns=("line, function", "count"), rows=tuple(found), numeric=(1,))


def _place(row: LineCost) -> str:
    if row.file is None:
        return "-"
    start = max((row.file.rfind(part) for part in _ROOT), default=-1)
    return one_line(f"{row.file[start + 1 :]}:{row.line if row.line is not None else '?'}")


def _function(row: LineCost) -> str:
    return one_line(" in ".join((row.function, *row.inlined_into)))
