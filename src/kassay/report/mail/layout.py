# SPDX-License-Identifier: GPL-2.0-only
"""Lines as a mailing list takes them: ASCII, 72 columns, tables included."""

import re
import shlex
import textwrap
from collections.abc import Sequence

from kassay.model.texts import Table, TableCell
from kassay.report.columns import aligned, room_for_names
from kassay.report.mail.text import ascii_text

WIDTH = 72
_FIRST = 36


def wrapped(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """A paragraph. first, rest: what stands before the first line and before the others (as many blanks)."""
    joined = re.sub(r"(?<=\d) %", "%", ascii_text(text))
    rest = " " * len(first) if rest is None else rest
    lines = textwrap.wrap(
        joined, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=True
    )
    return lines or [first.rstrip()]


def verbatim_words(text: str) -> list[str]:
    """Words of a command line, indented; one that is longer than a line stays whole."""
    return textwrap.wrap(
        ascii_text(text), WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def bullets(texts: Sequence[str]) -> list[str]:
    """One item each."""
    return [line for text in texts for line in wrapped(text, "- ")]


def command(text: str) -> list[str]:
    """A command to paste, indented; broken between its words with backslashes where it is too long."""
    lines = [""]
    for word in shlex.split(ascii_text(text)):
        quoted = shlex.quote(word)
        if lines[-1] and 2 + len(lines[-1]) + 1 + len(quoted) + 2 > WIDTH:
            lines.append(f"    {quoted}")
        else:
            lines[-1] = f"{lines[-1]} {quoted}".strip() if len(lines) == 1 else f"{lines[-1]} {quoted}"
    return [f"  {line}{' ' + chr(92) if i < len(lines) - 1 else ''}" for i, line in enumerate(lines)]


def lines_of(table: Table) -> list[str]:
    """A table as lines of at most 72 columns."""
    squeezed = Table(
        title="",
        columns=table.columns,
        numeric=table.numeric,
        rows=tuple(tuple(TableCell(text=_tight(cell.text)) for cell in row) for row in table.rows),
    )
    first = min(_FIRST, room_for_names(squeezed, WIDTH))
    return [ascii_text(line.text).rstrip() for line in aligned(squeezed, WIDTH, first)]


def _tight(text: str) -> str:
    """Figures without spaces."""
    return re.sub(r"(?<=\d) (?=\d{3}\b)", ",", re.sub(r"(?<=\d) %", "%", text))
