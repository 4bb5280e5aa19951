# SPDX-License-Identifier: GPL-2.0-only
"""Text and CSV with line numbers, and the numbers in them. A number that is not finite or not decimal is refused."""

import csv
import math
import re
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.tools.imports.importer import Given

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")


def number(text: str, location: str) -> float:
    """A finite decimal number. Raises BadInput."""
    word = text.strip()
    if len(word) > 400 or not _DECIMAL.fullmatch(word) or not word.isascii() or not math.isfinite(float(word)):
        raise BadInput(f"{location}: {text[:40]!r} is not a finite decimal number", "correct it, or remove the row")
    return float(word)


def cost(text: str, location: str) -> float:
    """A finite number that is not negative, as every time, rate and count is. Raises BadInput."""
    return not_negative(number(text, location), location)


def not_negative(value: float, location: str) -> float:
    """Raises BadInput below zero: kernels are compared by ratios, and a negative value has none."""
    if value < 0:
        raise BadInput(f"{location}: {value:g} is negative", "kassay compares by ratios; give times, rates or counts")
    return value


def whole(text: str, location: str) -> int:
    """A whole number, not negative, of at most 18 digits. Raises BadInput."""
    word = text.strip()
    if not (word.isascii() and word.isdigit() and len(word) <= 18):
        raise BadInput(f"{location}: {text[:40]!r} is not a whole number", "correct it, or remove the row")
    return int(word)


class CsvRow(NamedTuple):
    """One row."""

    location: str
    """Place of the row, such as "file: line 3", for errors."""
    cells: dict[str, str]
    """Cells by the header's names, stripped."""


def text_of(given: Given) -> str:
    """The file as text. Raises BadInput, with the line, when it is no text."""
    try:
        text = given.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = given.data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{given.location}: line {line}: not UTF-8 text", "is this the file that the tool wrote?"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise BadInput(f"{given.location}: line {line}: a zero byte", "it is damaged, or no text file")
    if not text.strip():
        raise BadInput(f"{given.location}: is empty", "give the file that the tool wrote")
    return text


def lines_of(given: Given) -> list[str]:
    """The file's lines, without their ends; [0] is line 1. Raises BadInput."""
    return text_of(given).replace("\r\n", "\n").split("\n")


def check_whole(given: Given) -> None:
    """Raises BadInput for a file whose last line has no end: a cut number is another number."""
    if not given.data.endswith(b"\n"):
        line = given.data.count(b"\n") + 1
        raise BadInput(f"{given.location}: line {line}: the file ends inside this line",
                       "it is cut off; if it is whole, end the line")  # fmt: skip


def first_line(given: Given) -> str:
    """The first line, for recognising; undecodable bytes replaced."""
    return given.data[:4096].decode("utf-8-sig", "replace").partition("\n")[0].strip()


def header_of(given: Given) -> tuple[str, ...]:
    """The column names if this were CSV."""
    return tuple(word.strip().strip('"') for word in first_line(given).split(","))


def csv_rows(given: Given, needed: tuple[str, ...]) -> list[CsvRow]:
    """Every row below the header; empty lines are skipped. Raises BadInput on a broken table or a missing column."""
    reader = csv.reader(text_of(given).splitlines(keepends=True), strict=True)
    rows: list[CsvRow] = []
    header: list[str] = []
    try:
        for row in reader:
            location = f"{given.location}: line {reader.line_num}"
            cells = [word.strip() for word in row]
            if not header:
                header = _header(cells, needed, location)
            elif any(cells):
                rows.append(CsvRow(location, _cells(header, cells, location)))
    except csv.Error as error:
        raise BadInput(f"{given.location}: line {reader.line_num}: {error}", "it is damaged, or no CSV") from error
    if not rows:
        raise BadInput(f"{given.location}: no rows below the header", "give a file with measurements")
    return rows


def _header(cells: list[str], needed: tuple[str, ...], location: str) -> list[str]:
    missing = [name for name in needed if name not in cells]
    if missing:
        raise BadInput(f"{location}: no column {', '.join(missing)}", f"the first line names {', '.join(needed)}")
    double = next((name for name in cells if cells.count(name) > 1), None)
    if double is not None:
        raise BadInput(f"{location}: two columns named {double!r}", "rename or remove one")
    return cells


def _cells(header: list[str], cells: list[str], location: str) -> dict[str, str]:
    if len(cells) != len(header):
        raise BadInput(f"{location}: {len(cells)} cells, the header has {len(header)}", "it is damaged, or cut off")
    return dict(zip(header, cells, strict=True))
