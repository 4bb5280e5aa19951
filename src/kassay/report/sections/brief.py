# SPDX-License-Identifier: GPL-2.0-only
"""Blocks for one screen: the first few of each kind, and how many are left out."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from kassay.model.report import Report
from kassay.model.texts import Table, shortened
from kassay.report.document import DOUBT, SCREEN, Block, Items, Section

NAME, FUNCTION = 26, 36  # columns of the first column of a table whose rows are kernels, hosts or metrics; functions
GROUPS, ROWS = 4, 8  # tables, and rows of a table, at most


def left_text(count: int | str, noun: str) -> str:
    """How many are left out, and where they are."""
    return f"and {count} {noun}: see --format markdown"


def left_out(count: int, noun: str = "more") -> tuple[Items, ...]:
    """The same as a block; none where nothing is left out."""
    return (Items(texts=(left_text(count, noun),), tone=DOUBT),) if count > 0 else ()


def limited(texts: Sequence[str], limit: int, noun: str) -> list[str]:
    """The first texts, and how many are left out."""
    return shortened(texts, limit, left_text("{}", f"more {noun}"))


def first_rows(whole: Table, noun: str) -> tuple[Block, ...]:
    """The first rows of a table, and how many are left out."""
    shown = structs.replace(whole, rows=whole.rows[:ROWS], name_width=NAME)
    return (shown, *left_out(len(whole.rows) - ROWS, noun))


def on_screen(*blocks: Block) -> Iterator[Section]:
    """Blocks for a screen alone."""
    if blocks:
        yield Section(blocks=blocks, readers=(SCREEN,))


def first_tables(
    report: Report, tables: Iterable[Table], width: int = NAME, noun: str = "more", below: Sequence[Block] = ()
) -> Iterator[Section]:
    """A section of a screen for each of the first tables; the last one says how many are left out. None if the question
    shows something in place of the comparisons.

    below: a block to stand below each table.
    """
    every = () if replaced_on_screen(report) else tuple(tables)
    left = left_out(len(every) - GROUPS, noun)
    for number, each in enumerate(every[:GROUPS], 1):
        blocks = (
            structs.replace(each, name_width=width),
            *below[number - 1 : number],
            *(left if number == GROUPS else ()),
        )
        yield Section(title=each.title, blocks=blocks, readers=(SCREEN,))


def replaced_on_screen(report: Report) -> bool:
    """True if the question shows something on a screen in place of the comparisons."""
    return SCREEN in report.lead.replaces
