# SPDX-License-Identifier: GPL-2.0-only
"""Columns of a table: figures that add up as printed, and texts as wide as the widest."""

from collections.abc import Sequence
from typing import NamedTuple

from kassay.model.texts import Table, wrap
from kassay.model.units import format_decimals, places_of
from kassay.report.words import cut, short_names

ROUNDING = "rounding"


class Column(NamedTuple):
    """Figures of one column of a table."""

    shown: Sequence[float]
    """Figures of the rows shown."""
    ends: Sequence[float]
    """Figures of the rows at the end."""
    total: float
    """Sum of all rows, including those left out."""


def summed(columns: Sequence[Column], ends: Sequence[str], rest: str, places: int = 0) -> tuple[
    list[list[str]], list[str]
]:  # fmt: skip
    """Columns of one table as texts, and the names of the rows after those shown; the last one is "total".

    rest: the name of the row for what is left out; this row takes the rounding error. "" when nothing is left out: then
    a row of its own has the rounding error, where there is one. places: decimals, by default what each column needs.
    """
    digits = [places or places_of(max(abs(value) for value in (*col.shown, col.total))) for col in columns]
    scaled = [
        [round(value * 10**n) for value in (*col.shown, *col.ends, col.total)]
        for col, n in zip(columns, digits, strict=True)
    ]
    lacking = [figures[-1] - sum(figures[:-1]) for figures in scaled]
    names = [*([rest] if rest else []), *ends, *([ROUNDING] if not rest and any(lacking) else []), "total"]
    for col, figures, gap in zip(columns, scaled, lacking, strict=True):
        if rest:
            figures.insert(len(col.shown), gap)
        elif any(lacking):
            figures.insert(len(figures) - 1, gap)
    texts = [[format_decimals(f / 10**n, n) for f in figures] for figures, n in zip(scaled, digits, strict=True)]
    return texts, names


_OTHERS = 26  # at most, of every column but the first


class ScreenLine(NamedTuple):
    """One line of the screen, and the style it has (words of effects.terminal) where colours are wanted."""

    text: str
    style: str = ""


def aligned(table: Table, width: int, first: int, others: int = _OTHERS, *, wraps: bool = False) -> list[ScreenLine]:
    """Lines of at most `width` columns; table columns that do not fit stand below, each block with the first one again.

    first: how wide the first column may be. others: the same of other columns. wraps: longer cells go on in a further
    line, in columns that take what room is left; otherwise cells are cut in the middle.
    """
    texts = [(c, *(row[i].text for row in table.rows)) for i, c in enumerate(table.columns)]
    if wraps:
        limits = _limits(texts, width, first, others)
        cells = [[_wrapped(text, limit) for text in each] for each, limit in zip(texts, limits, strict=True)]
    else:
        names = (texts[0][0], *short_names(texts[0][1:], first))
        cells = [[[text] for text in names], *([[cut(text, others)] for text in each] for each in texts[1:])]
    heights = [max(len(cell) for cell in row) for row in zip(*cells, strict=True)]
    filled = [
        [line for cell, height in zip(each, heights, strict=True) for line in cell + [""] * (height - len(cell))]
        for each in cells
    ]
    shown, *left = (column(each, right=i > 0 and i in table.numeric) for i, each in enumerate(filled))
    lines: list[ScreenLine] = []
    while left or not lines:
        room, block = width - 2 - width_of(shown[0]), [shown]
        while left and (len(block) == 1 or room >= width_of(left[0][0]) + 2):
            room -= width_of(left[0][0]) + 2
            block.append(left.pop(0))
        rows = zip(*block, strict=True)
        lines += [ScreenLine("  " + "  ".join(row), "" if i >= heights[0] else "dim") for i, row in enumerate(rows)]
    return lines


def _limits(texts: Sequence[Sequence[str]], width: int, first: int, others: int) -> list[int]:
    """How wide each column may be: what is left of the width goes to the column that needs it most."""
    wanted = [max(map(width_of, each)) for each in texts]
    limits = [min(need, limit) for need, limit in zip(wanted, (first, *(others for _ in texts[1:])), strict=True)]
    room = width - sum(limit + 2 for limit in limits)
    while room > 0 and (lacking := max(need - limit for need, limit in zip(wanted, limits, strict=True))) > 0:
        widest = next(i for i, limit in enumerate(limits) if wanted[i] - limit == lacking)
        taken = min(room, lacking)
        limits[widest] += taken
        room -= taken
    return limits


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, max(1, width), break_on_hyphens=False) or [""]


def room_for_names(table: Table, width: int) -> int:
    """How wide the first column may be so that all columns stand in one block of `width`; at least 20."""
    others = [max(width_of(cut(t, _OTHERS)) for t in (c, *(row[i].text for row in table.rows)))
              for i, c in enumerate(table.columns) if i > 0]  # fmt: skip
    return max(20, width - 2 - sum(other + 2 for other in others))


def column(texts: Sequence[str], *, right: bool = False) -> tuple[str, ...]:
    """All as wide as the widest."""
    width = max(map(width_of, texts))
    return tuple(pad(text, width, right=right) for text in texts)


def width_of(text: str) -> int:
    """Columns that a text takes at a terminal."""
    from rich.cells import cell_len  # late: formats are imported where nothing is written

    return cell_len(text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` in a field of `width` columns."""
    space = " " * (width - width_of(text))
    return space + text if right else text + space
