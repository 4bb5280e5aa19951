# SPDX-License-Identifier: GPL-2.0-only
"""Tables in 72 columns of ASCII, and short names for kernels whose own are too long for a column."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from kassay.model.layout import Cell, Table
from kassay.report.aligned import aligned, room_for_names
from kassay.report.mail.plain import WIDTH, ascii_text, wrapped

RANKS = "The change of a time is what the ranks of all boots say; it need not be the ratio of the two medians."
_FIRST = 36
_WIDEST = 16  # of a kernel's name above a column


def lines_of(table: Table) -> list[str]:
    """A table as lines of at most 72 columns."""
    squeezed = Table(
        title="",
        columns=table.columns,
        numeric=table.numeric,
        rows=tuple(tuple(map(_tight, row)) for row in table.rows),
    )
    first = min(_FIRST, room_for_names(squeezed, WIDTH))
    return [ascii_text(line.text).rstrip() for line in aligned(squeezed, WIDTH, first)]


def lettered(kernels: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Column heads for these kernels, and lines that say which letter is which where a name is too long for one."""
    if max(map(len, kernels), default=0) <= _WIDEST or len(kernels) > len(ascii_uppercase):
        return tuple(kernels), []
    letters = ascii_uppercase[: len(kernels)]
    told = "; ".join(f"{letter}: {name}" for letter, name in zip(letters, kernels, strict=True))
    return tuple(letters), ["", *wrapped(f"{told}.")]


def _tight(cell: Cell) -> Cell:
    return Cell(text=re.sub(r"(?<=\d) (?=\d{3}\b)", ",", re.sub(r"(?<=\d) %", "%", cell.text)))
