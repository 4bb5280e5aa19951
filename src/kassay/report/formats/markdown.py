# SPDX-License-Identifier: GPL-2.0-only
"""The whole report as Markdown, to paste into an issue or a wiki; legible as plain text too."""

import re

from kassay.model.report import Report
from kassay.model.texts import Table, TableCell, one_line
from kassay.report.conditions import confounder_sentences
from kassay.report.formats import Format
from kassay.report.predictions import disagreements
from kassay.report.sections import Section, sections
from kassay.report.tables import matrices

# An underscore inside a word is no emphasis, and function names read better without a backslash.
_SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")
_BLOCK_START = re.compile(r"^([#+>=-]|\d+(?=[.)]))")
_LOUD = ("regression", "improvement", "differs")


def render(report: Report) -> str:
    """Title, verdict, the settings at a glance where there are several, then every section."""
    blocks = [f"# {_escape(report.title)}", *map(_paragraph, disagreements(report)), f"**{_escape(report.verdict)}**"]
    blocks += [_paragraph(text) for text in confounder_sentences(report)]
    shown = () if report.overview is not None else matrices(report)  # which has all of them in one table
    blocks += [block for table in shown for block in (f"### {_escape(table.title)}", _table(table))]
    for section in sections(report):
        blocks += _section(section)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> list[str]:
    blocks = [f"## {_escape(section.title)}", *(_paragraph(t) for t in section.text)]
    if section.items:
        blocks.append("\n".join(f"- {_escape(item)}" for item in section.items))
    for table in section.tables:
        blocks += [f"### {_escape(table.title)}", _table(table)]
    for caption, text in section.code:
        blocks += [f"### {_escape(caption)}", _fenced(text)]
    return blocks


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


def _paragraph(text: str) -> str:
    return _BLOCK_START.sub(r"\\\1", _escape(text))


def _escape(text: str) -> str:
    """`text` on one line, showing in Markdown exactly what it is; no tag, no entity, no emphasis comes of it."""
    flat = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\g<0>", flat)


FORMAT = Format(
    name="markdown", suffix=".md", summary="everything, as tables to paste into an issue or a wiki", render=render
)
