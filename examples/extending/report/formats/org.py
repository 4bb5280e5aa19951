# SPDX-License-Identifier: GPL-2.0-only
"""Org mode: a heading and a list."""

from kassay.model.texts import one_line
from kassay.model.units import format_numbers
from kassay.report.answer_form import NOTHING, FormOption, Given
from kassay.report.formats import Format

LEVEL = FormOption(name="--level", metavar="N", help="How many stars the heading has.")


def render(report, given: Given = NOTHING) -> str:
    (level,) = given.get("--level", ("1",))
    lines = [f"{'*' * int(level)} {report.title}", report.verdict]
    for finding in report.findings:
        values = format_numbers([side.value for side in finding.sides])
        sides = [f"{side.kernel} {value}" for side, value in zip(finding.sides, values, strict=True)]
        lines.append(f"- {finding.metric}: {', '.join(sides)}: {finding.verdict}")
    return "\n".join(map(one_line, lines)) + "\n"  # names come from others: no line breaks, no escapes


FORMAT = Format(name="org", suffix=".org", summary="a list for Org mode", render=render, options=(LEVEL,), whole=False)
