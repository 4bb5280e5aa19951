# SPDX-License-Identifier: GPL-2.0-only
"""Text as a mailing list takes it: ASCII, 72 columns, tables included."""

import re
import shlex
import textwrap
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase

from kassay.model.texts import Table, TableCell, one_line
from kassay.model.units import format_change, format_number
from kassay.report.columns import aligned, room_for_names

WIDTH = 72
_CHARACTERS = str.maketrans({"×": "x", "→": ">", "◄": "<", "…": "~", "└": "`", "≤": "<", "–": "-", "’": "'", "±": "~"})
RANKS = "The change of a time is what the ranks of all boots say; it need not be the ratio of the two medians."
_FIRST = 36
_WIDEST = 16  # of a kernel's name above a column


def ascii_text(text: str) -> str:
    """One line of ASCII; a letter loses its accent; a character without an ASCII form is written as its code."""
    flat = unicodedata.normalize("NFKD", one_line(text).translate(_CHARACTERS))
    bare = "".join(c for c in flat if not unicodedata.combining(c))
    return bare.encode("ascii", "backslashreplace").decode("ascii")


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


def number(value: float | None) -> str:
    """ "1,234.5"; absent is "-"."""
    return format_number(value).replace(" ", ",")


def percent(change: float | None) -> str:
    """ "+3.9%"; absent is "-"."""
    return format_change(change).replace(" %", "%").replace(" ", ",")


def bare_percent(change: float) -> str:
    """ "3.9%", of a size that has no direction."""
    return percent(change).lstrip("+")


def interval(limits: tuple[float, float] | None) -> str:
    """ "+1.2% to +3.4%"; one figure where both ends read the same; absent is "-"."""
    if limits is None:
        return "-"
    low, high = map(percent, limits)
    return low if low == high else f"{low} to {high}"


def stopped(text: str) -> str:
    """Ends with a full stop."""
    return f"{text.strip()}{'' if text.strip().endswith(('.', ':', '?')) else '.'}" if text.strip() else ""


def sentence(text: str) -> str:
    """Begins with a capital letter, unless with a name, and ends with a full stop."""
    text = stopped(text)
    return f"{text[:1].upper()}{text[1:]}" if re.match(r"[a-z]+[ ,]", text) else text


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
    legend = "; ".join(f"{letter}: {name}" for letter, name in zip(letters, kernels, strict=True))
    return tuple(letters), ["", *wrapped(f"{legend}.")]


def _tight(cell: TableCell) -> TableCell:
    return TableCell(text=re.sub(r"(?<=\d) (?=\d{3}\b)", ",", re.sub(r"(?<=\d) %", "%", cell.text)))
