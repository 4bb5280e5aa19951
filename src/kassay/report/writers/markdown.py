# SPDX-License-Identifier: GPL-2.0-only
"""A document as Markdown, to paste into an issue or a wiki; legible as plain text too."""

import re
from collections.abc import Iterator

from kassay.model.texts import Table, TableCell, one_line
from kassay.report.document import (
    PAGE,
    VERDICT,
    WRITTEN,
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
_READERS = (PAGE, WRITTEN)


def write(document: Document) -> str:
    """Title and blocks in reading order; drawings are left out."""
    head = [_heading(document.title, document.level)] if document.title else []
    blocks = (text for block in flat(_READERS, document.blocks) for text in _block(block, document.level))
    return "\n\n".join((*head, *blocks)) + "\n"


def _block(block: Block, level: int) -> Iterator[str]:
    match block:
        case Section():
            yield _heading(block.title, level + 1)
            for inner in flat(_READERS, block.blocks):
                yield from _block(inner, level)
        case Paragraph():
            text = _escape(block.text)
            yield f"**{text}**" if block.tone == VERDICT else _BLOCK_START.sub(r"\\\1", text)
        case Items():
            yield "\n".join(f"- {_escape(text)}" for text in block.texts)
        case Facts():
            rows = ("; ".join(filter(None, (*row.texts, row.detail))) for row in block.rows)
            names = (row.name for row in block.rows)
            yield "\n".join(f"- {_escape(f'{name}: {text}')}" for name, text in zip(names, rows, strict=True))
        case Table():
            yield from (_heading(block.title, level + 2),) if block.title else ()
            yield _table(block)
        case Sides():
            yield _fenced("\n".join(sides_lines(block)))
        case Code():
            yield from (_heading(block.caption, level + 2),) if block.caption else ()
            yield _fenced(block.text)


def _heading(text: str, level: int) -> str:
    return f"{'#' * level} {_escape(text)}"


def _table(table: Table) -> str:
    rule = ["---:" if i in table.numeric else "---" for i in range(len(table.columns))]
    lines = [[_escape(column) for column in table.columns], rule]
    lines += [[_cell(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: TableCell) -> str:
    text = _escape(cell.text)
    return f"**{text}**" if cell.mark in _LOUD and text.strip() else text


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip(chr(10))}\n{fence}"


def _escape(text: str) -> str:
    """`text` on one line, showing in Markdown exactly what it is; no tag, no entity, no emphasis comes of it."""
    flat_text = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\g<0>", flat_text)


WRITER = Writer(
    name="markdown",
    readers=_READERS,
    suffix=".md",
    summary="everything, as tables to paste into an issue or a wiki",
    render=write,
)
