# SPDX-License-Identifier: GPL-2.0-only
"""Columns of figures that add up as printed."""

from collections.abc import Sequence
from typing import NamedTuple

from kassay.model.units import format_decimals, places_of

ROUNDING = "rounding"


class Column(NamedTuple):
    """Figures of the rows shown, of the rows at the end, and the total of these and of the rows left out."""

    shown: Sequence[float]
    ends: Sequence[float]
    total: float


def summed(columns: Sequence[Column], ends: Sequence[str], rest: str, places: int = 0) -> tuple[
    list[list[str]], list[str]
]:  # fmt: skip
    """Columns of one table as texts, and the names of the rows behind those shown, "total" being the last.

    rest: name of the row for what is left out, which takes the rounding; "" when nothing is. Then, if the figures of a
    column do not add up as printed, a row says by how much. places: decimals, by default what each column needs.
    """
    digits = [places or places_of(max(abs(value) for value in (*one.shown, one.total))) for one in columns]
    scaled = [
        [round(value * 10**n) for value in (*one.shown, *one.ends, one.total)]
        for one, n in zip(columns, digits, strict=True)
    ]
    lacking = [figures[-1] - sum(figures[:-1]) for figures in scaled]
    names = [*([rest] if rest else []), *ends, *([ROUNDING] if not rest and any(lacking) else []), "total"]
    for one, figures, gap in zip(columns, scaled, lacking, strict=True):
        if rest:
            figures.insert(len(one.shown), gap)
        elif any(lacking):
            figures.insert(len(figures) - 1, gap)
    texts = [[format_decimals(f / 10**n, n) for f in figures] for figures, n in zip(scaled, digits, strict=True)]
    return texts, names
