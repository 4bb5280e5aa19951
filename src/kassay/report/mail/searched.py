# SPDX-License-Identifier: GPL-2.0-only
"""What a bisection found, as paragraphs of a mail, and what it leaves open."""

from kassay.model.report import Report
from kassay.report.bisection import verdict
from kassay.report.mail.plain import ascii_text

UNSEARCHED = "Which commit did it is not known: nothing was bisected."


def searched(report: Report) -> list[str]:
    """One paragraph, none where nothing was bisected."""
    return [ascii_text(verdict(report.bisection))] if report.bisection is not None else []


def not_found(report: Report) -> list[str]:
    """What is not known of the commit that did it."""
    found = report.bisection
    if found is None:
        return [UNSEARCHED]
    if found.kind != "git":
        return ["Which commit did it is not known: only whole kernels were measured, not the commits between them."]
    if found.steps[0].between:
        return ["Which of the commits that could not be measured did it, if it was one of them, is not known."]
    return []
