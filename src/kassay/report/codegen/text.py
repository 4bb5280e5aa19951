# SPDX-License-Identifier: GPL-2.0-only
"""A codegen report as text: one screen, and Markdown."""

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len

from kassay.model.codegen import Body, CodegenReport, Instruction
from kassay.model.layout import Table
from kassay.model.texts import one_line
from kassay.report.codegen.sides import Row, aligned_sides, count_text, folded
from kassay.report.codegen.words import (
    calls_table,
    compilers,
    executed_sentences,
    functions_table,
    notes,
    shown_pairs,
    title_of,
)
from kassay.report.columns import aligned, pad, room_for_names
from kassay.report.words import cut

_WIDTH = 120
_AROUND = 3  # equal instructions shown on each side of a difference
_SIDE = 57  # columns of one side: two of them, and what stands between, are at most 120
_COUNT, _LABEL = 8, 5


def terminal(report: CodegenReport, shown: tuple[str, str] | None) -> str:
    """At most 120 columns. shown: two classes whose code stands side by side."""
    lines = [*_wrap(report.verdict), *(line for text in executed_sentences(report) for line in _wrap(text)), ""]
    tables = [functions_table(report), calls_table(report)]
    for table in tables:
        if table is not None:
            room = min(60, room_for_names(table, _WIDTH))
            lines += [line.text.rstrip() for line in aligned(table, _WIDTH, room)] + [""]
    lines += [line for compiler, whose in compilers(report) for line in _wrap(f"{compiler}: {whose}", "compiler  ")]
    lines += [line for note in notes(report) for line in _wrap(note, "note      ")]
    lines += [line for said in report.disclosures for line in _wrap(said, "scope     ")]
    for left, right in shown_pairs(report, shown, 0) if shown else ():
        lines += ["", *_sides(left, right, report.unit)]
    return "\n".join(lines) + "\n"


def markdown(report: CodegenReport, shown: tuple[str, str] | None) -> str:
    """To paste into an issue; the code of two classes in a fence."""
    lines = [f"# {_escaped(report.function)}: generated code", "", f"**{_escaped(report.verdict)}**", ""]
    lines += [line for said in executed_sentences(report) for line in (_escaped(said), "")]
    for table in (functions_table(report), calls_table(report)):
        if table is not None:
            lines += [*_table(table), ""]
    lines += [f"- compiler: {_escaped(f'{compiler}: {whose}')}" for compiler, whose in compilers(report)]
    lines += [f"- {_escaped(said)}" for said in (*notes(report), *report.disclosures)]
    for left, right in shown_pairs(report, shown, 0) if shown else ():
        lines += ["", "```", *_sides(left, right, report.unit), "```"]
    return "\n".join(lines) + "\n"


def _sides(left: Body, right: Body, unit: str) -> list[str]:
    rows = folded(aligned_sides(left.instructions, right.instructions), _AROUND)
    counted = any(one.count is not None for body in (left, right) for one in body.instructions)
    head = [f"{pad(cut(title_of(left), _SIDE), _SIDE)}   {cut(title_of(right), _SIDE)}".rstrip()]
    head += [f"(executed, {unit}, before each instruction)"] if counted else []
    if not any(row.mark for row in rows):
        return [*head, f"the same {len(left.instructions)} instructions"]
    return head + [_row(row, counted) for row in rows]


def _row(row: Row, counted: bool) -> str:
    if row.gap:
        return f"      ... {row.gap} equal instructions"
    text = f"{pad(_one(row.left, counted), _SIDE)} {row.mark or ' '} {_one(row.right, counted)}"
    return text.rstrip()


def _one(one: Instruction | None, counted: bool) -> str:
    if one is None:
        return ""
    count = count_text(one.count).rjust(_COUNT) + " " if counted else ""
    room = _SIDE - len(count) - _LABEL - 1
    return f"{count}{pad(one.label, _LABEL)} {cut(one_line(one.text), room)}"


def _wrap(text: str, label: str = "") -> list[str]:
    return textwrap.wrap(
        one_line(text), _WIDTH, initial_indent=label, subsequent_indent=" " * cell_len(label), break_long_words=False
    )


def _table(table: Table) -> list[str]:
    rule = ["---:" if i in table.numeric else "---" for i in range(len(table.columns))]
    lines: list[Sequence[str]] = [[_escaped(column) for column in table.columns], rule]
    lines += [[_escaped(cell.text) for cell in row] for row in table.rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _escaped(text: str) -> str:
    plain = one_line(text)
    return "".join(f"\\{char}" if char in "\\`*[]|<>~" else char for char in plain)
