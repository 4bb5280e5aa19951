# SPDX-License-Identifier: GPL-2.0-only
"""A whole document as Markdown; legible as plain text too."""

import re
from collections.abc import Iterable, Iterator

from kassay.model.texts import Table, TableCell, one_line
from kassay.report.document import (
    PAGE,
    VERDICT,
    WRITTEN,
    Bars,
    Block,
    Code,
    Document,
    Facts,
    Items,
    Paragraph,
    Section,
    Sides,
    flat,
)
from kassay.report.sides import sides_lines
from kassay.report.writers import Writer

# An underscore inside a word is no emphasis, and function names read better without a backslash.
_SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")
_BLOCK_START = re.compile(r"^([#+>=-]|\d+(?=[.)]))")
_LOUD = ("regression", "improvement", "differs")
READERS = (PAGE, WRITTEN)


def write(document: Document) -> str:
    """Title and blocks in reading order; drawings are left out."""
    return "\n\n".join((*title(document), *written(document.blocks, READERS, document.level))) + "\n"


def title(document: Document) -> Iterator[str]:
    """The title's heading, if there is a title."""
    if document.title:
        yield _heading(document.title, document.level)


def written(blocks: Iterable[Block], readers: tuple[str, ...], level: int) -> Iterator[str]:
    """Texts of the blocks that these readers see. level: of the title's heading."""
    for block in flat(readers, blocks):
        if isinstance(block, Section):
            yield _heading(block.title, level + 1)
            yield from (escaped(block.subtitle),) if block.subtitle else ()
            yield from (
                text for text in written(block.blocks, readers, level) if text != _heading(block.title, level + 2)
            )
        else:
            yield from _block(block, level)


def _block(block: Block, level: int) -> Iterator[str]:
    match block:
        case Paragraph():
            text = escaped(block.text)
            yield f"**{text}**" if block.tone == VERDICT else _BLOCK_START.sub(r"\\\1", text)
        case Items():
            yield "\n".join(f"- {escaped(text)}" for text in block.texts)
        case Facts():
            yield "\n".join(f"- {escaped(row.line)}" for row in block.rows)
        case Table():
            yield from (_heading(block.title, level + 2),) if block.title else ()
            yield _table(block)
        case Bars():
            yield from _block(block.table, level)
        case Sides():
            yield _fenced("\n".join(sides_lines(block)))
        case Code():
            yield from (_heading(block.caption, level + 2),) if block.caption else ()
            yield _fenced(block.text)


def _heading(text: str, level: int) -> str:
    return f"{'#' * level} {escaped(text)}"


def _table(table: Table) -> str:
    rule = ["---:" if i in table.numeric else "---" for i in range(len(table.columns))]
    lines = [[escaped(column) for column in table.columns], rule]
    lines += [[_cell(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: TableCell) -> str:
    text = escaped(cell.text)
    return f"**{text}**" if cell.mark in _LOUD and text.strip() else text


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip(chr(10))}\n{fence}"


def escaped(text: str) -> str:
    """`text` on one line, showing in Markdown exactly what it is; no tag, no entity, no emphasis comes of it."""
    flat_text = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\g<0>", flat_text)


WRITER = Writer(
    name="markdown_full",
    readers=READERS,
    suffix=".markdown",
    summary="everything, as tables for a wiki; of any length",
    render=write,
)
