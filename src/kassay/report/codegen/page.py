# SPDX-License-Identifier: GPL-2.0-only
"""A codegen report as one page that needs no network: tables, and classes side by side, whole."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from kassay import __version__
from kassay.model.codegen import Body, CodegenReport, Instruction
from kassay.model.texts import one_line
from kassay.report.codegen.sides import aligned_sides, count_text
from kassay.report.codegen.words import (
    calls_table,
    compilers,
    executed_sentences,
    functions_table,
    notes,
    shown_pairs,
    title_of,
)

_MOST = 6
"""Pairs of classes drawn when none was asked for."""


def render(report: CodegenReport, shown: tuple[str, str] | None) -> str:
    """The page. shown: two classes; else the first beside each of the others."""
    tables = [table for table in (functions_table(report), calls_table(report)) if table is not None]
    pairs = [_pair(left, right) for left, right in shown_pairs(report, shown, _MOST)]
    return _template().render(
        function=one_line(report.function), verdict=one_line(report.verdict), source=one_line(report.source),
        sentences=[one_line(text) for text in executed_sentences(report)], tables=tables, pairs=pairs,
        compilers=compilers(report), notes=notes(report), disclosures=report.disclosures, unit=one_line(report.unit),
        workload=one_line(report.workload), made=__version__,
    )  # fmt: skip


def _pair(left: Body, right: Body) -> dict[str, Any]:
    rows = [
        {"mark": row.mark, "left": _cell(row.left), "right": _cell(row.right)}
        for row in aligned_sides(left.instructions, right.instructions)
    ]
    counted = any(one.count is not None for body in (left, right) for one in body.instructions)
    differ = sum(bool(row["mark"]) for row in rows)
    return {"left": title_of(left), "right": title_of(right), "rows": rows, "counted": counted, "differ": differ}


def _cell(one: Instruction | None) -> dict[str, str]:
    if one is None:
        return {"count": "", "label": "", "text": "", "offset": ""}
    return {"count": count_text(one.count), "label": one.label, "text": one_line(one.text), "offset": f"{one.offset:x}"}


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("kassay.report", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template("codegen.html.j2")
