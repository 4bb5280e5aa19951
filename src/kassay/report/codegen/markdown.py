# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as tables to paste into an issue or a wiki."""

from collections.abc import Sequence

from kassay.model.texts import Table, one_line
from kassay.report.codegen import CodegenAnswer, CodegenFormat
from kassay.report.codegen._sides import sides_text
from kassay.report.codegen._words import asked_pair, compilers, executed_sentences, notes, tables


def render(answer: CodegenAnswer) -> str:
    """The whole answer; two classes that were asked for stand in a fence."""
    report = answer.report
    lines = [f"# {_escaped(report.function)}: generated code", "", f"**{_escaped(report.verdict)}**", ""]
    lines += [line for text in executed_sentences(report) for line in (_escaped(text), "")]
    for table in tables(report):
        lines += [*_table(table), ""]
    lines += [f"- compiler: {_escaped(f'{compiler}: {whose}')}" for compiler, whose in compilers(report)]
    lines += [f"- {_escaped(text)}" for text in (*notes(report), *report.disclosures)]
    for left, right in asked_pair(answer):
        lines += ["", "```", *sides_text(left, right, report.unit), "```"]
    return "\n".join(lines) + "\n"


def _table(table: Table) -> list[str]:
    rule = ["---:" if i in table.numeric else "---" for i in range(len(table.columns))]
    lines: list[Sequence[str]] = [[_escaped(column) for column in table.columns], rule]
    lines += [[_escaped(cell.text) for cell in row] for row in table.rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _escaped(text: str) -> str:
    plain = one_line(text)
    return "".join(f"\\{char}" if char in "\\`*[]|<>~" else char for char in plain)


FORMAT = CodegenFormat(name="markdown", suffix=".md", summary="tables to paste into an issue or a wiki", render=render)
