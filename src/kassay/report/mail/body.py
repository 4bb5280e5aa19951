# SPDX-License-Identifier: GPL-2.0-only
"""The mail from its subject to its signature, in the order in which a maintainer asks."""

import re

from kassay.model.experiment import labels
from kassay.model.finding import REFUSED, Finding
from kassay.model.report import Report
from kassay.report.mail.answer import answer
from kassay.report.mail.conditions import COMMAND_LINE, kernels, measured, state
from kassay.report.mail.headers import header
from kassay.report.mail.headline import headline, subject_line
from kassay.report.mail.judged import how_sure
from kassay.report.mail.names import release_tag, renamed
from kassay.report.mail.plain import ascii_text, bullets, command, sentence, wrapped
from kassay.report.mail.results import beside, failed, functions, results, seed_rules
from kassay.report.repeat import step_alone

_OUT = "again"
# Lines that mail programs and git take for something else than text.
_MISREAD = re.compile(r"^(?=From |>From |---|diff -|Index: |#regzbot|-- $)", re.MULTILINE)


def mail(report: Report) -> str:
    """Headers, a blank line, the text."""
    paragraphs = [wrapped(text) for text in answer(report)]
    blocks = [["Hi,"], *paragraphs, *results(report), functions(report), beside(report), *_sure(report), failed(report)]
    blocks += [
        measured(report),
        state(report),
        kernels(report),
        _reproduce(report),
        _limits(report),
        seed_rules(report),
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    ends = [text for text in (_regzbot(report), _signature(report)) if text]
    return "\n".join((header("Subject", subject_line(report)), "", _MISREAD.sub(" ", text), "", "\n\n".join(ends), ""))


def _sure(report: Report) -> list[list[str]]:
    first, *others = how_sure(report) or [""]
    return [wrapped(f"How sure: {first}"), *map(wrapped, others)] if first else []


def _reproduce(report: Report) -> list[str]:
    """At most three commands, and what each gives."""
    commands = _imported(report) if report.sources else _own(report)
    if not commands:
        return []
    lines = ["To reproduce, with kassay installed as its README says:", ""]
    return lines + [line for text in commands[:3] for line in command(text)]


def _own(report: Report) -> list[str]:
    found = headline(report)
    if found is None or not report.kernels:
        return []
    f, known = found.finding, labels(report.experiment)
    pair = (known.index(f.sides[0].kernel), known.index(f.sides[1].kernel))
    again = step_alone(report.experiment, report.kernels, pair, f.workload, f.settings, f.machine)
    profile = [f"kassay profile {_OUT} --top 0"] if f.attribution is not None else []
    return [f"{again} --out {_OUT}", *profile, f"kassay report {_OUT} --format markdown"]


def _imported(report: Report) -> list[str]:
    files = " ".join(f"'{one.name}'" if re.search(r"[^\w./-]", one.name) else one.name for one in report.sources[:1])
    return [f"kassay import {files} --out {_OUT}", f"kassay report {_OUT} --format markdown"]


def _limits(report: Report) -> list[str]:
    """The report's own limits, and the two that every such mail has."""
    items = [sentence(renamed(report, text)) for text in report.disclosures if not text.startswith(COMMAND_LINE)]
    items += [
        sentence(f"The figures come from {one.name} ({one.format}, sha256 {one.sha256[:16]})") for one in report.sources
    ]
    found = headline(report)
    if found is not None and not report.sources:
        items.append("The program does nothing but this; what an application notices of it is another question.")
        items += ["Which commit did it is not known: nothing was bisected."] if _stands(found.finding) else []
    return ["What this does not show:", "", *bullets(items)] if items else []


def _regzbot(report: Report) -> str:
    """The range in which a regression began, where one stands and both ends have a name upstream."""
    found = headline(report)
    if found is None or found.tag == "[RFC]" or found.finding.verdict != "regression":
        return ""
    known = dict(zip(labels(report.experiment), report.kernels, strict=False))
    base, head = (release_tag(known.get(side.kernel)) for side in found.finding.sides)
    return f"#regzbot introduced: {base}..{head}" if base and head and base != head else ""


def _stands(f: Finding) -> bool:
    return f.verdict not in (*REFUSED, "inconclusive", "equivalent")


def _signature(report: Report) -> str:
    return f"-- \nWritten by kassay {ascii_text(report.kassay_version)}, experiment {ascii_text(report.plan_id)[:16]}."
