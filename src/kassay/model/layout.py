# SPDX-License-Identifier: GPL-2.0-only
"""Tables and blocks of text before any format has laid them out."""

from kassay.model.records import Record
from kassay.model.texts import one_line


class TableCell(Record, frozen=True, kw_only=True):
    """One field: its text on one line, and why it stands out: a verdict's word, "differs", or ""."""

    text: str
    mark: str = ""


class Table(Record, frozen=True, kw_only=True):
    """A table. numeric: columns (by index) that are aligned to the right. folded: long, may be shown closed."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    numeric: tuple[int, ...] = ()
    folded: bool = False


def cells(*texts: str, mark: str = "") -> tuple[TableCell, ...]:
    """A row; every cell becomes one line and carries `mark`."""
    return tuple(TableCell(text=one_line(t), mark=mark) for t in texts)


class TextBlock(Record, frozen=True, kw_only=True):
    """A heading with paragraphs, a list and tables below it; each of them may be missing."""

    title: str = ""
    text: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
