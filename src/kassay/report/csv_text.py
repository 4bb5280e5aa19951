# SPDX-License-Identifier: GPL-2.0-only
"""CSV as in RFC 4180, but with a line feed alone at the end of a line."""

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t")
Cell = float | int | str | None


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A header and a line for each row. None gives an empty cell; numbers are unrounded.

    A text that a spreadsheet would take for a formula gets an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(_inert, row) for row in (columns, *rows))
    return text.getvalue()


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
