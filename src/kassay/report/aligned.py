# SPDX-License-Identifier: GPL-2.0-only
"""Tables as lines of text with aligned columns."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from kassay.model.layout import Table
from kassay.report.words import cut, short_names

_OTHERS = 26  # at most, of every column but the first


class Line(NamedTuple):
    """One line of the screen, and the style it has (words of effects.terminal) where colours are wanted."""

    text: str
    style: str = ""


def aligned(table: Table, width: int, first: int) -> list[Line]:
    """Lines of at most `width` columns; table columns that do not fit stand below, each block with the first one again.

    first: how wide the first column may be; longer names are cut in the middle.
    """
    texts = [(c, *(row[i].text for row in table.rows)) for i, c in enumerate(table.columns)]
    names = column(short_names(texts[0], first))
    others = [
        column([cut(text, _OTHERS) for text in t], right=i in table.numeric) for i, t in enumerate(texts) if i > 0
    ]
    lines: list[Line] = []
    while others:
        room, block = width - 2 - cell_len(names[0]), [names]
        while others and (len(block) == 1 or room >= cell_len(others[0][0]) + 2):
            room -= cell_len(others[0][0]) + 2
            block.append(others.pop(0))
        rows = zip(*block, strict=True)
        lines += [Line("  " + "  ".join(row), "" if i else "dim") for i, row in enumerate(rows)]
    return lines


def room_for_names(table: Table, width: int) -> int:
    """How wide the first column may be so that all columns stand in one block of `width`; at least 20."""
    others = [max(cell_len(cut(t, _OTHERS)) for t in (c, *(row[i].text for row in table.rows)))
              for i, c in enumerate(table.columns) if i > 0]  # fmt: skip
    return max(20, width - 2 - sum(other + 2 for other in others))


def column(texts: Sequence[str], *, right: bool = False) -> tuple[str, ...]:
    """All as wide as the widest."""
    width = max(map(cell_len, texts))
    return tuple(pad(text, width, right=right) for text in texts)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` in a field of `width` columns."""
    space = " " * (width - cell_len(text))
    return space + text if right else text + space
