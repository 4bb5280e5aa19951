# SPDX-License-Identifier: GPL-2.0-only
"""A document as one page: no network, a script for call stacks only, legible on a phone, in print, by night."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kassay.model.codegen import Instruction
from kassay.model.texts import Table, one_line
from kassay.report.answer_form import template
from kassay.report.document import DRAWN, PAGE, Block, Chart, Document, Facts, Paragraph, Section, Sides, Stacks, flat
from kassay.report.writers import Writer

if TYPE_CHECKING:
    from markupsafe import Markup

_READERS = (PAGE, DRAWN)
_HEAD = (Paragraph, Facts)
"""Blocks that stand in the header of the page when they come before all others."""


def write(document: Document) -> str:
    """One self-contained HTML file."""
    page = template("document.html.j2")  # first: what draws the charts may still be starting
    blocks = tuple(flat(_READERS, document.blocks))
    first = next((i for i, block in enumerate(blocks) if not isinstance(block, _HEAD)), len(blocks))
    # A block outside of any section becomes one without a heading.
    sections = (block if isinstance(block, Section) else Section(blocks=(block,)) for block in blocks[first:])
    parts = [_part(f"s{number}", section) for number, section in enumerate(sections, 1)]
    return page.render(
        title=one_line(document.title),
        kicker=document.kicker,
        head=_described(blocks[:first]),
        parts=parts,
        kassay_version=document.kassay_version,
        scripts=_scripts(any(kind == "Stacks" for part in parts for kind, _ in part["blocks"])),
    )


def _part(anchor: str, section: Section) -> dict[str, Any]:
    blocks = tuple(flat(_READERS, section.blocks))
    several = sum(isinstance(block, Table) for block in blocks) > 1
    return {"anchor": anchor, "title": section.title, "blocks": _described(blocks), "several_tables": several}


def _described(blocks: Iterable[Block]) -> list[tuple[str, object]]:
    """(kind, what the template shows) of each block."""
    return [(type(block).__name__, _drawn(block)) for block in blocks]


def _drawn(block: Block) -> object:
    if isinstance(block, Chart):
        return {"title": block.title, "drawings": _drawings(block), "legend": block.legend, "absent": block.absent}
    if isinstance(block, Sides):
        return _listings(block)
    if isinstance(block, Stacks):
        from kassay.report.icicle import icicle

        return icicle(block)
    return block


def _listings(sides: Sides) -> dict[str, Any]:
    from kassay.report.sides import count_text

    def cell(instruction: Instruction | None) -> dict[str, str]:
        if instruction is None:
            return dict.fromkeys(("count", "label", "text", "offset"), "")
        text, offset = one_line(instruction.text), f"{instruction.offset:x}"
        return {"count": count_text(instruction.count), "label": instruction.label, "text": text, "offset": offset}

    rows = [{"mark": row.mark, "left": cell(row.left), "right": cell(row.right)} for row in sides.rows]
    differ = sum(bool(row.mark) for row in sides.rows)
    return {"left": sides.left, "right": sides.right, "rows": rows, "unit": sides.unit, "differ": differ}


def _drawings(chart: Chart) -> "list[Markup]":
    if chart.wide is None:
        return []
    # Late: the first chart starts a JavaScript engine, which takes half a second.
    from markupsafe import Markup

    from kassay.report.chart import svg_of

    # vl-convert escapes the text it draws, so this markup holds nothing that a name could have brought in.
    return [Markup(svg_of(spec)) for spec in (chart.wide, chart.narrow) if spec is not None]


def _scripts(needed: bool) -> "tuple[Markup, Markup, Markup] | None":
    """The library's licences, the library, and the page's own script; None if nothing is drawn by them."""
    if not needed:
        return None
    from markupsafe import Markup

    from kassay.report.icicle import library, library_notice, program

    # Both are the project's or its dependency's; names stand in the data, which is JSON without a "<".
    return Markup(library_notice()), Markup(library()), Markup(program())


WRITER = Writer(
    name="html",
    suffix=".html",
    summary="everything, as one page with charts",
    readers=_READERS,
    render=write,
    page="people",
)
