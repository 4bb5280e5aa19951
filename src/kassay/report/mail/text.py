# SPDX-License-Identifier: GPL-2.0-only
"""Words and figures as a mailing list takes them: ASCII, percent signs and thousands without spaces."""

import re
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase

from kassay.model.texts import one_line
from kassay.model.units import format_change, format_number
from kassay.report.words import interval_text

_CHARACTERS = str.maketrans({
    "×": "x", "→": ">", "◄": "<", "…": "~", "└": "`", "–": "-", "’": "'", "≤": "<=", "≥": ">=", "±": "+-",
    "\N{MICRO SIGN}": "u", "\N{GREEK SMALL LETTER MU}": "u",
})  # fmt: skip
RANKS = "The change of a time is what the ranks of all boots say; it need not be the ratio of the two medians."
_WIDEST = 16  # of a kernel's name above a column


def ascii_text(text: str) -> str:
    """One line of ASCII; a letter loses its accent; a character without an ASCII form is written as its code."""
    line = one_line(text)
    if line.isascii():
        return line
    flat = unicodedata.normalize("NFKD", line.translate(_CHARACTERS))
    bare = "".join(c for c in flat if not unicodedata.combining(c))
    return bare.encode("ascii", "backslashreplace").decode("ascii")


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
    return interval_text(limits, percent)


def stopped(text: str) -> str:
    """Ends with a full stop."""
    return f"{text.strip()}{'' if text.strip().endswith(('.', ':', '?')) else '.'}" if text.strip() else ""


def sentence(text: str) -> str:
    """Begins with a capital letter, unless with a name, and ends with a full stop."""
    text = stopped(text)
    return f"{text[:1].upper()}{text[1:]}" if re.match(r"[a-z]+[ ,]", text) else text


def lettered(kernels: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Column heads for these kernels, and a text that says which letter is which where a name is too long for one."""
    if max(map(len, kernels), default=0) <= _WIDEST or len(kernels) > len(ascii_uppercase):
        return tuple(kernels), ""
    letters = ascii_uppercase[: len(kernels)]
    legend = "; ".join(f"{letter}: {name}" for letter, name in zip(letters, kernels, strict=True))
    return tuple(letters), f"{legend}."
