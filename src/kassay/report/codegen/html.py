# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as one page that needs no network, whole classes side by side."""

from typing import Any

from kassay import __version__
from kassay.model.codegen import Body, Instruction
from kassay.model.texts import one_line
from kassay.report.codegen import CodegenAnswer, CodegenFormat
from kassay.report.codegen._sides import aligned_sides, count_text
from kassay.report.codegen._words import asked_pair, compilers, executed_sentences, leaders, notes, tables, title_of
from kassay.report.form import template

_MOST = 6
"""Pairs of classes drawn when none was asked for."""


def render(answer: CodegenAnswer) -> str:
    """The page: two classes where they were asked for, else the first beside each of the others."""
    report = answer.report
    bodies = leaders(report)
    pairs = asked_pair(answer) or [(bodies[0], other) for other in bodies[1 : _MOST + 1]]
    return template("codegen.html.j2").render(
        function=one_line(report.function), verdict=one_line(report.verdict), source=one_line(report.source),
        sentences=[one_line(text) for text in executed_sentences(report)], tables=tables(report),
        pairs=[_pair(left, right) for left, right in pairs],
        compilers=compilers(report), notes=notes(report), disclosures=report.disclosures, unit=one_line(report.unit),
        workload=one_line(report.workload), kassay_version=__version__,
    )  # fmt: skip


def _pair(left: Body, right: Body) -> dict[str, Any]:
    rows = [
        {"mark": row.mark, "left": _cell(row.left), "right": _cell(row.right)}
        for row in aligned_sides(left.instructions, right.instructions)
    ]
    counted = any(instruction.count is not None for body in (left, right) for instruction in body.instructions)
    differ = sum(bool(row["mark"]) for row in rows)
    return {"left": title_of(left), "right": title_of(right), "rows": rows, "counted": counted, "differ": differ}


def _cell(instruction: Instruction | None) -> dict[str, str]:
    if instruction is None:
        return {"count": "", "label": "", "text": "", "offset": ""}
    return {
        "count": count_text(instruction.count),
        "label": instruction.label,
        "text": one_line(instruction.text),
        "offset": f"{instruction.offset:x}",
    }


FORMAT = CodegenFormat(
    name="html", suffix=".html", summary="one page that needs no network, whole classes side by side", render=render
)
