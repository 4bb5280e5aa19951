# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as at most 120 columns of plain text."""

import textwrap

from rich.cells import cell_len

from kassay.model.texts import one_line
from kassay.report.codegen import CodegenAnswer, CodegenFormat
from kassay.report.codegen._sides import WIDTH, sides_text
from kassay.report.codegen._words import asked_pair, compilers, executed_sentences, notes, tables
from kassay.report.columns import aligned, room_for_names


def render(answer: CodegenAnswer) -> str:
    """The whole answer; two classes side by side only where they were asked for."""
    report = answer.report
    lines = [*_wrap(report.verdict), *(line for text in executed_sentences(report) for line in _wrap(text)), ""]
    for table in tables(report):
        lines += [line.text.rstrip() for line in aligned(table, WIDTH, min(60, room_for_names(table, WIDTH)))] + [""]
    lines += [line for compiler, whose in compilers(report) for line in _wrap(f"{compiler}: {whose}", "compiler  ")]
    lines += [line for note in notes(report) for line in _wrap(note, "note      ")]
    lines += [line for text in report.disclosures for line in _wrap(text, "scope     ")]
    for left, right in asked_pair(answer):
        lines += ["", *sides_text(left, right, report.unit)]
    return "\n".join(lines) + "\n"


def _wrap(text: str, label: str = "") -> list[str]:
    return textwrap.wrap(
        one_line(text), WIDTH, initial_indent=label, subsequent_indent=" " * cell_len(label), break_long_words=False
    )


FORMAT = CodegenFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
