# SPDX-License-Identifier: GPL-2.0-only
"""The whole report as one page: no network, a script for stacks only, legible on a phone, in print, by night."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.report.conditions import confounder_sentences
from kassay.report.form import template
from kassay.report.formats import Format
from kassay.report.icicle import library, library_notice, program
from kassay.report.predictions import disagreements
from kassay.report.sections import Section, sections
from kassay.report.series import MetricSeries
from kassay.report.words import compilers, outcomes_text

if TYPE_CHECKING:
    from markupsafe import Markup

_STEPS = (("regression", "step: costs more than before"), ("improvement", "step: costs less than before"))


def render(report: Report) -> str:
    """One self-contained HTML file."""
    page = template("report.html.j2")  # first: what draws the charts may still be starting
    parts = [_part(number, section) for number, section in enumerate(sections(report), 1)]
    facts = [
        ("Scope", [report.scope]),
        ("State", [reason_text(report.state)]),
        ("Compiler", [f"{compiler}: {', '.join(refs)}" for compiler, refs in compilers(report)]),
        ("Machine", [f"{report.machine.arch}, {report.machine.program}"]),
        ("Runs", [outcomes_text(report)]),
    ]
    shown = [(name, [one_line(text) for text in texts]) for name, texts in facts if any(texts)]
    title, verdict = one_line(report.title), one_line(report.verdict)
    confounders = confounder_sentences(report)
    scripts = _scripts(parts)
    return page.render(
        title=title,
        disagreements=disagreements(report),
        verdict=verdict,
        confounders=confounders,
        facts=shown,
        parts=parts,
        kassay_version=report.kassay_version,
        scripts=scripts,
    )


def _scripts(parts: list[dict[str, Any]]) -> "tuple[Markup, Markup, Markup] | None":
    """Whose the library is, the library and the page's own script; nothing where nothing is drawn by them."""
    if not any(part["section"].icicles for part in parts):
        return None
    from markupsafe import Markup

    # Both are the project's or its dependency's; names stand in the data, which is JSON without a "<".
    return Markup(library_notice()), Markup(library()), Markup(program())


def _part(number: int, section: Section) -> dict[str, Any]:
    drawn = {row.verdict for row in section.chart.rows} if section.chart else set()
    steps = [(verdict, text) for verdict, text in _STEPS if verdict in drawn]
    return {"anchor": f"s{number}", "section": section, "charts": _charts(section.chart), "steps": steps}


def _charts(series: MetricSeries | None) -> "tuple[Markup, Markup] | None":
    if series is None:
        return None
    # Late: its first chart starts a JavaScript engine, which takes half a second, and other formats do not need it.
    from markupsafe import Markup

    from kassay.report.chart import has_values, narrow_svg, wide_svg

    if not has_values(series):
        return None
    # vl-convert escapes the text it draws, so this markup holds nothing that a name could have brought in.
    return Markup(wide_svg(series)), Markup(narrow_svg(series))


def _chart_files(report: Report) -> Iterable[tuple[str, bytes]]:
    """Every chart of the page as SVG and PNG, for papers and mails; an overview has none."""
    if report.overview is not None:
        return ()
    from kassay.report.charts import charts

    return charts(report)


FORMAT = Format(
    name="html", suffix=".html", summary="everything, as one page with charts", render=render, page="people",
    beside=_chart_files,
)  # fmt: skip
