# SPDX-License-Identifier: GPL-2.0-only
"""A gap, or a patch series, as blocks of a mail: one table, what its columns are, where the differences are."""

from kassay.model.report import Report
from kassay.report.gap import function_table, gap_tables, notes
from kassay.report.mail.grid import lines_of
from kassay.report.mail.names import names, unit_words
from kassay.report.mail.plain import plainly, wrapped
from kassay.report.series_table import AGAINST, cover_table, legend, primary_tables, where_lines

_WHERE = 8


def in_rows(report: Report) -> list[list[str]]:
    """Blocks of lines, to be pasted into a cover letter or an answer."""
    return _gaps(report) if report.gaps else _series(report)


def _gaps(report: Report) -> list[list[str]]:
    blocks = []
    for table in gap_tables(report, names(report)):
        blocks.append([*wrapped(f"{unit_words(table.title)}:"), "", *lines_of(table)])
    told = [plainly(text) for text in notes(report)]
    blocks.append(wrapped(" ".join((*told, "n: boots of each kernel with nothing moved."))))
    for gap in report.gaps:
        functions = function_table(gap) if gap.primary else None
        if functions is not None:
            blocks.append([*wrapped(f"{unit_words(functions.title)}:"), "", *lines_of(functions)])
            break
    return blocks


def _series(report: Report) -> list[list[str]]:
    series = report.series
    assert series is not None
    blocks = []
    for table in primary_tables(report):
        cover = cover_table(series, table)
        blocks.append([*wrapped(f"{unit_words(cover.title)}:"), "", *lines_of(cover)])
    rows = [line for text in legend(series) for line in wrapped(text, "  ", "      ")]
    blocks.append(["The rows:", "", *rows, "", *wrapped(_capital(AGAINST) + " n: boots with nothing moved.")])
    where = [text for table in primary_tables(report) for text in where_lines(series, table)]
    left = len(where) - _WHERE
    lines = [line for text in where[:_WHERE] for line in wrapped(text, "  ", "      ")]
    more = [f"  and {left} more in the full report."] if left > 0 else []
    return [*blocks, *([["In which functions:", "", *lines, *more]] if lines else [])]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
