# SPDX-License-Identifier: GPL-2.0-only
"""Tables of what users' programs printed, one for each point of an experiment."""

from collections.abc import Iterator

from kassay.model.printed import PrintedRow
from kassay.model.report import Report
from kassay.model.texts import Table, cells, machine_text, one_line, settings_text, table
from kassay.report.document import PAGE, Section, filled
from kassay.report.sections.brief import first_tables

_KINDS = {"time": "virtual time", "number": "number", "word": "word"}


def printed_tables(report: Report) -> tuple[Table, ...]:
    """Names down, kernels across; nothing where no program printed what can be read."""
    points: dict[tuple[str, ...], list[PrintedRow]] = {}
    for row in report.printed:
        points.setdefault((row.workload, settings_text(row.settings), machine_text(row.machine)), []).append(row)
    return tuple(_table(point, rows, len(points) > 1) for point, rows in points.items())


def _table(point: tuple[str, ...], rows: list[PrintedRow], several: bool) -> Table:
    kernels = [label for label, _ in rows[0].values]
    lines = (
        cells(one_line(row.name), *(value if value is not None else "-" for _, value in row.values), _KINDS[row.kind],
              "the same each time" if row.steady else "varies")
        for row in rows
    )  # fmt: skip
    where = f", {point[1]}; {point[2]}" if several else ""
    return table(
        f"printed by {one_line(point[0])}{where}", ("name", *kernels, "what it is", "executions"), lines
    )  # fmt: skip


_PRINTED = (
    "The program's own figures; kassay judges what it counted. Clocks that a program reads are the guest's: under "
    "exact counts a nanosecond is an instruction, so a time is no wall time.",
)


def printed(report: Report) -> Iterator[Section]:
    """Figures that the user's program printed."""
    shown = printed_tables(report)
    yield from first_tables(report, shown)
    yield from filled("What the program printed", text=_PRINTED, tables=shown, readers=(PAGE,))
