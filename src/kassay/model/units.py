# SPDX-License-Identifier: GPL-2.0-only
"""Sizes in the user's words (64MiB) and numbers in the report's words (1 234.5)."""

import math
import re
from collections.abc import Sequence

_FACTORS = {
    "": 1, "B": 1,
    "K": 1 << 10, "KiB": 1 << 10, "kB": 1 << 10,
    "M": 1 << 20, "MiB": 1 << 20, "MB": 1 << 20,
    "G": 1 << 30, "GiB": 1 << 30, "GB": 1 << 30,
    "T": 1 << 40, "TiB": 1 << 40, "TB": 1 << 40,
}  # fmt: skip
_LARGE = 1e15
"""Figures from here on are written with an exponent."""
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


def is_same_value(text: str, other: str) -> bool:
    """Equal as texts or as sizes: 1MiB is 1024KiB."""
    try:
        return text == other or parse_bytes(text) == parse_bytes(other)
    except ValueError:
        return False


def format_bytes(value: int) -> str:
    """The shortest exact form: 67108864 -> "64MiB", 1500 -> "1500B"; parse_bytes() reads it back."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _FACTORS[unit]
        if value and value % factor == 0:
            return f"{value // factor}{unit}"
    return f"{value}B"


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def parse_duration(text: str, units: str) -> float | None:
    """Seconds of "90s", "2h" or "1.5d"; None for another text. units: the letters that may stand behind the number."""
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)([{units}])", text)
    return float(match[1]) * _SECONDS[match[2]] if match else None


def format_duration(seconds: float, *, minutes_from: float = 100) -> str:
    """ "45 s", "12 min". minutes_from: the seconds from which on minutes are written."""
    return f"{seconds:.0f} s" if seconds < minutes_from else f"{seconds / 60:.0f} min"


def format_number(value: float | None) -> str:
    """A figure for people: absent is "-", whole numbers stay whole, others keep 4 digits or one decimal; 1.5e+15."""
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        return _grouped(value, 0)
    short = f"{value:.4g}"
    return _grouped(value, 1) if abs(float(short)) >= 100 else short


def format_numbers(values: Sequence[float | None]) -> tuple[str, ...]:
    """A column of figures: as format_number(), but a whole number shows the decimals of its largest broken neighbour,
    and a figure of four digits keeps a last zero that a neighbour's digit stands beside.

    (698.8, 703.0) -> ("698.8", "703.0"), (703.0, 2.0) -> ("703", "2"), (13.89, 13.901) -> ("13.89", "13.90").
    """
    broken = [v for v in values if v is not None and abs(v) < _LARGE and v != int(v)]
    if not broken:
        return tuple(format_number(v) for v in values)
    texts = {v: format_number(v) for v in broken}
    most = max(_decimals(text) for text in texts.values())
    texts = {v: format_decimals(v, min(places_of(v), most)) if 1 <= abs(v) < 100 else text for v, text in texts.items()}
    decimals = _decimals(texts[max(broken, key=abs)])
    return tuple(format_number(v) if v is None else texts.get(v) or format_decimals(v, decimals) for v in values)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def places_of(value: float | None) -> int:
    """Decimals that a column explaining `value` needs: one from 100 on, below that four digits in all."""
    if not value or abs(value) >= 100:
        return 1
    return max(1, 3 - math.floor(math.log10(abs(value))))


def format_signed(value: float, places: int) -> str:
    """A difference for people, rounded to `places` decimals: "+328", "-25.9"; "0" when it rounds to nothing."""
    shown = round(value, places)
    return f"{'+' if shown > 0 else '-' if shown < 0 else ''}{format_number(abs(shown))}"


def format_change(change: float | None) -> str:
    """head / base - 1 for people: "+123.0 %"; absent is "-"; an exact zero is "0 %"."""
    if change is None:
        return "-"
    if change == 0:
        return "0 %"
    percent = change * 100
    if abs(percent) < 0.0005:
        return f"{'+' if percent > 0 else '-'}<0.001 %"
    return f"{'+' if percent > 0 else ''}{_grouped(percent, 1 if abs(percent) >= 0.1 else 3)} %"


def relative_change(base: float | None, head: float | None) -> float | None:
    """head / base - 1; None if a value is unknown or base is zero."""
    return head / base - 1 if base and head is not None else None


def format_decimals(value: float, decimals: int) -> str:
    """With exactly `decimals` decimals: (1234.5, 2) -> "1 234.50"."""
    return _grouped(value, decimals) if math.isfinite(value) else str(value)


def _grouped(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}".replace(",", " ") if abs(value) < _LARGE else f"{value:.4g}"
