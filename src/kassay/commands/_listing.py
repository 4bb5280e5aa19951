# SPDX-License-Identifier: GPL-2.0-only
"""Rows of an archive: tables for people, one value and a file of rows for programs."""

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from kassay import __version__
from kassay.errors import BadInput
from kassay.model.texts import Figure, Table, cells, table
from kassay.report.answers import Kind
from kassay.report.csv_text import csv_text
from kassay.report.document import Document, Paragraph, Section


class ListedTable(NamedTuple):
    """Rows for people."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[int] = ()
    """Columns (by index) that are aligned to the right."""
    empty: str = "no rows"
    """Text that is shown if there is no row."""


class ListedAnswer(NamedTuple):
    """One answer, for people and for programs."""

    tables: Sequence[ListedTable]
    fields: Sequence[str]
    """Columns of a file."""
    values: Sequence[Sequence[object]]
    """Rows of a file, unrounded. None is absent."""
    whole: object = None
    """The answer as one JSON value. None for its rows as objects, which have a field for each column."""
    next_step: str = ""
    """Sentence below the tables; "" for none."""


def document(answer: ListedAnswer) -> Document:
    """Every table with its title, then the next step."""
    step = (Paragraph(text=answer.next_step),) if answer.next_step else ()
    return Document(
        title="", kicker="kassay history", kassay_version=__version__, width=0,
        blocks=(*map(_section, answer.tables), *step),
    )  # fmt: skip


def _section(listed: ListedTable) -> Section:
    shown = _table(listed) if listed.rows else Paragraph(text=listed.empty)
    return Section(title=listed.title, blocks=(shown,))


def _table(listed: ListedTable) -> Table:
    """Columns without any text are left out."""
    filled = [i for i in range(len(listed.columns)) if any(row[i] for row in listed.rows)]
    columns = [Figure(listed.columns[i]) if i in listed.numeric else listed.columns[i] for i in filled]
    return table("", columns, (cells(*(row[i] for i in filled)) for row in listed.rows))


def _csv(answer: ListedAnswer) -> str:
    return csv_text(answer.fields, answer.values)


def _json(answer: ListedAnswer) -> str:
    """The whole answer, described in docs/reference/history.md; moments and the like as text."""
    whole = _json_value(_objects(answer) if answer.whole is None else answer.whole)
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def _objects(answer: ListedAnswer) -> list[dict[str, object]]:
    """Each row as an object. Raises BadInput if two columns have one name."""
    fields = answer.fields
    repeated = next((name for name in fields if fields.count(name) > 1), None)
    if repeated is not None:
        raise BadInput(f"two columns have the name {repeated}, and a JSON object holds one of them",
                       "rename one: SELECT ... AS another, or use --format csv")  # fmt: skip
    return [dict(zip(fields, row, strict=True)) for row in answer.values]


def _json_value(value: object) -> object:
    """The value with decimals as numbers, with null for a number that JSON does not have, and names as keys."""
    match value:
        case dict():
            return {str(key): _json_value(item) for key, item in value.items()}
        case list() | tuple():
            return [_json_value(item) for item in value]
        case float() | Decimal():
            return float(value) if math.isfinite(value) else None
    return value


LISTING = Kind(document=document, json=_json, more={"csv": _csv})
