# SPDX-License-Identifier: GPL-2.0-only
"""Sizes in the user's words (64MiB) and numbers in the report's words (1 234.5)."""

import re

_FACTORS = {
    "": 1, "B": 1,
    "K": 1 << 10, "KiB": 1 << 10, "kB": 1 << 10,
    "M": 1 << 20, "MiB": 1 << 20, "MB": 1 << 20,
    "G": 1 << 30, "GiB": 1 << 30, "GB": 1 << 30,
    "T": 1 << 40, "TiB": 1 << 40, "TB": 1 << 40,
}  # fmt: skip
_SIZE = re.compile(r"\s*(\d{1,19})\s*([A-Za-z]{0,3})\s*")


def parse_bytes(text: str) -> int:
    """Bytes in `text`: a whole number and an optional unit, all units powers of 1024 ("64MiB", "2G").

    Raises ValueError with a sentence for people when `text` is not a size or is above 2^63 - 1.
    """
    match = _SIZE.fullmatch(text)
    if match is None or match.group(2) not in _FACTORS:
        raise ValueError(f"{text!r} is not a size; write a whole number and a unit, such as 64MiB or 2GiB")
    value = int(match.group(1)) * _FACTORS[match.group(2)]
    if value >= 1 << 63:
        raise ValueError(f"{text!r} is larger than any machine's memory")
    return value


def format_bytes(value: int) -> str:
    """The shortest exact form: 67108864 -> "64MiB", 1500 -> "1500B"; parse_bytes() reads it back."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _FACTORS[unit]
        if value and value % factor == 0:
            return f"{value // factor}{unit}"
    return f"{value}B"


def format_number(value: float | None) -> str:
    """A figure for people: absent is "-", whole numbers stay whole, others keep 4 digits or one decimal."""
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", " ")
    if abs(value) >= 1000:
        return f"{value:,.1f}".replace(",", " ")
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}"


def format_change(change: float | None) -> str:
    """head / base - 1 for people: "+123.0 %"; absent is "-"; an exact zero is "0 %"."""
    if change is None:
        return "-"
    if change == 0:
        return "0 %"
    percent = change * 100
    digits = 1 if abs(percent) >= 0.1 else 3
    return f"{percent:+.{digits}f} %"
