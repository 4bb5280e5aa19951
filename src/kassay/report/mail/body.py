# SPDX-License-Identifier: GPL-2.0-only
"""The mail from its subject to its signature, in the order in which a maintainer asks."""

import re

from kassay.model.finding import REFUSED, Finding
from kassay.model.report import Report
from kassay.report.mail.again import again
from kassay.report.mail.answer import answer
from kassay.report.mail.conditions import kernels, measured, state
from kassay.report.mail.headers import header
from kassay.report.mail.headline import headline, subject_line
from kassay.report.mail.imported import UNSEARCHED, origin, unknown
from kassay.report.mail.judged import how_sure
from kassay.report.mail.names import everyday_sentence
from kassay.report.mail.plain import ascii_text, bullets, wrapped
from kassay.report.mail.results import beside, failed, functions, results, seed_rules
from kassay.report.mail.tracking import introduced

# Lines that mail programs and git take for something else than text.
_MISREAD = re.compile(r"^(?=From |>From |---|diff -|Index: |#regzbot|-- $)", re.MULTILINE)


def mail(report: Report) -> str:
    """Headers, a blank line, the text."""
    paragraphs = [wrapped(text) for text in (*answer(report), *(report.lead.mail_also if report.lead else ()))]
    blocks = [["Hi,"], *paragraphs, *results(report), functions(report), beside(report), *_sure(report), failed(report)]
    blocks += [
        measured(report),
        state(report),
        kernels(report),
        origin(report),
        again(report),
        _limits(report),
        seed_rules(report),
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    ends = [text for text in ("\n".join(introduced(report)), _signature(report)) if text]
    return "\n".join((header("Subject", subject_line(report)), "", _MISREAD.sub(" ", text), "", "\n\n".join(ends), ""))


def _sure(report: Report) -> list[list[str]]:
    first, *others = how_sure(report) or [""]
    return [wrapped(f"How sure: {first}"), *map(wrapped, others)] if first else []


def _limits(report: Report) -> list[str]:
    """The report's own limits, and the two that every such mail has."""
    if report.sources:
        return ["What this does not show:", "", *bullets(unknown(report))]
    items = [everyday_sentence(report, one) for one in report.disclosures if one.code != "command-line"]
    found = headline(report)
    if found is not None:
        items.append("The program does nothing but this; what an application notices of it is another question.")
        items += _not_found(report) if _stands(found.finding) else []
    return ["What this does not show:", "", *bullets(items)] if items else []


def _not_found(report: Report) -> tuple[str, ...]:
    """What is not known of the commit that did it."""
    if report.lead is not None and report.lead.mail_open is not None:
        return report.lead.mail_open
    return (UNSEARCHED,)


def _stands(f: Finding) -> bool:
    return f.verdict not in (*REFUSED, "inconclusive", "equivalent")


def _signature(report: Report) -> str:
    return f"-- \nWritten by kassay {ascii_text(report.kassay_version)}, experiment {ascii_text(report.plan_id)[:16]}."
