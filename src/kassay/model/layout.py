# SPDX-License-Identifier: GPL-2.0-only
"""Tables and blocks of text before any format has laid them out."""

from collections.abc import Iterable, Sequence

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


class Figure(str):
    """The name of a column of figures."""

    __slots__ = ()


def figures(*names: str) -> tuple[Figure, ...]:
    """Names of columns that are aligned to the right; see table()."""
    return tuple(map(Figure, names))


def table(title: str, columns: Iterable[str], rows: Iterable[Sequence[TableCell]], *, folded: bool = False) -> Table:
    """A table of these rows; columns named by figures() are aligned to the right."""
    names = tuple(columns)
    numeric = tuple(index for index, name in enumerate(names) if isinstance(name, Figure))
    texts = tuple(map(str, names))
    return Table(title=title, columns=texts, rows=tuple(map(tuple, rows)), numeric=numeric, folded=folded)


class TextBlock(Record, frozen=True, kw_only=True):
    """A heading with paragraphs, a list and tables below it; each of them may be missing."""

    title: str = ""
    text: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
