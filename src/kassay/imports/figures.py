# SPDX-License-Identifier: GPL-2.0-only
"""Numbers as files write them: finite, decimal, and refused with their place when they are anything else."""

import math
import re

from kassay.errors import BadInput

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")


def number(text: str, place: str) -> float:
    """A finite decimal number. Raises BadInput."""
    word = text.strip()
    if len(word) > 400 or not _DECIMAL.fullmatch(word) or not word.isascii() or not math.isfinite(float(word)):
        raise BadInput(f"{place}: {text[:40]!r} is not a finite decimal number", "correct it, or remove the row")
    return float(word)


def cost(text: str, place: str) -> float:
    """A finite number that is not negative, as every time, rate and count is. Raises BadInput."""
    return not_negative(number(text, place), place)


def not_negative(value: float, place: str) -> float:
    """Raises BadInput below zero: kernels are compared by ratios, which a negative value has not."""
    if value < 0:
        raise BadInput(f"{place}: {value:g} is negative", "kassay compares by ratios; give times, rates or counts")
    return value


def whole(text: str, place: str) -> int:
    """A whole number, not negative, of at most 18 digits. Raises BadInput."""
    word = text.strip()
    if not (word.isascii() and word.isdigit() and len(word) <= 18):
        raise BadInput(f"{place}: {text[:40]!r} is not a whole number", "correct it, or remove the row")
    return int(word)
