# SPDX-License-Identifier: GPL-2.0-only
"""What `kassay history` writes: tables, JSON, CSV."""

import csv
import io
import json
from collections.abc import Sequence

from kassay.commands._show import say
from kassay.errors import BadInput

FORMATS = ("terminal", "json", "csv")


def known_format(name: str) -> str:
    """The name itself. Raises BadInput that lists the formats."""
    if name not in FORMATS:
        raise BadInput(f"--format: unknown {name!r}", f"known: {', '.join(FORMATS)}")
    return name


def say_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = (),
             empty: str = "no rows") -> None:  # fmt: skip
    """A table on stdout, columns aligned, those without any text left out; `empty` where there is no row."""
    from kassay.model.texts import one_line
    from kassay.report.aligned import column

    texts = [[one_line(text) for text in (name, *(row[i] for row in rows))] for i, name in enumerate(columns)]
    shown = [column(text, right=i in numeric) for i, text in enumerate(texts) if any(text[1:])]
    lines = [f"  {'  '.join(row)}".rstrip() for row in zip(*shown, strict=True)] if rows else [f"  {empty}"]
    say("\n".join((title, *lines)) + "\n")


def say_json(value: object) -> None:
    """JSON on stdout; moments and the like as text."""
    say(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def say_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """CSV on stdout (RFC 4180, one header line, absent is empty)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    say(text.getvalue())
