# SPDX-License-Identifier: GPL-2.0-only
"""The whole report as one page: no script, no network, legible on a phone, in print, by day and by night."""

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from kassay.model.report import Report
from kassay.report.formats._format import Format
from kassay.report.sections import Section, sections
from kassay.report.series import Series
from kassay.report.words import compilers, one_line, outcomes_text

_STEPS = (("regression", "step: costs more than before"), ("improvement", "step: costs less than before"))


def render(report: Report) -> str:
    """One self-contained HTML file."""
    parts = [_part(number, section) for number, section in enumerate(sections(report), 1)]
    facts = [
        ("Scope", [report.scope]),
        ("State", [report.state]),
        ("Compiler", [f"{compiler}: {', '.join(refs)}" for compiler, refs in compilers(report)]),
        ("Machine", [f"{report.machine.arch}, {report.machine.program}"]),
        ("Runs", [outcomes_text(report)]),
    ]
    shown = [(name, [one_line(text) for text in texts]) for name, texts in facts if any(texts)]
    title, verdict = one_line(report.title), one_line(report.verdict)
    return _template().render(title=title, verdict=verdict, facts=shown, parts=parts, made=report.kassay_version)


def _part(number: int, section: Section) -> dict[str, Any]:
    drawn = {row.verdict for row in section.chart.rows} if section.chart else set()
    steps = [(verdict, text) for verdict, text in _STEPS if verdict in drawn]
    return {"anchor": f"s{number}", "section": section, "charts": _charts(section.chart), "steps": steps}


def _charts(series: Series | None) -> tuple[Markup, Markup] | None:
    if series is None:
        return None
    # Late, because the chart library takes a second to load and the other formats do not need it.
    from kassay.report.chart import has_values, narrow_svg, wide_svg

    if not has_values(series):
        return None
    # vl-convert escapes the text it draws, so this markup holds nothing that a name could have brought in.
    return Markup(wide_svg(series)), Markup(narrow_svg(series))


def _unbroken(text: str) -> str:
    """Keeps a percent sign with its number, a count of CPUs with its word."""
    return re.sub(r"(?<=\d) (?=%|CPU)", "\u00a0", text)


@cache
def _template() -> Template:
    loader = PackageLoader("kassay.report", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["unbroken"] = _unbroken
    return environment.get_template("report.html.j2")


FORMAT = Format(name="html", suffix=".html", summary="everything, as one page with charts", render=render)
