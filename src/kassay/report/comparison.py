# SPDX-License-Identifier: GPL-2.0-only
"""The document of a report: of every question that compares kernels, and of imported results."""

from collections.abc import Callable, Iterable, Iterator

from kassay.model.report import Report
from kassay.report.conditions import confounder_sentences
from kassay.report.document import DOUBT, VERDICT, Block, Document, Envelope, Paragraph, Section
from kassay.report.mail.answer import answer
from kassay.report.mail.headline import introduced, subject_line
from kassay.report.mail.text import ascii_text
from kassay.report.predictions import disagreements
from kassay.report.sections import (
    changed_lines,
    closing,
    counters,
    counts_and_time,
    facts,
    functions,
    hosts,
    judged,
    kernel_share,
    kernels,
    predicted,
    programs,
    refused,
    repeat,
    results,
    state,
    timing,
)

TOPICS: tuple[Callable[[Report], Iterable[Section]], ...] = (
    changed_lines.further, functions.sentences, facts.header, results.settings, results.lead, predicted.predicted,
    results.results, functions.of_headline, hosts.times_by_host, kernel_share.shares, programs.calls, programs.printed,
    counts_and_time.counts_and_time, predicted.predicted_headline, judged.judged, timing.seed_rules, refused.refused,
    functions.functions, changed_lines.changed, counters.counters, closing.limits, closing.next_steps,
    state.definitions, state.state, kernels.kernels, closing.origin, closing.runs, closing.all_findings,
    repeat.repeat, closing.words, facts.facts,
)  # fmt: skip
"""Sections in their order. Each function yields its blocks for every way of reading."""


def document(report: Report) -> Document:
    """Everything that a report says, for every reader."""
    return Document(
        title=report.title, kicker="kassay report", kassay_version=report.kassay_version, envelope=_envelope(report),
        blocks=tuple(_blocks(report)),
    )  # fmt: skip


def _blocks(report: Report) -> Iterator[Block]:
    yield from (Paragraph(text=text, tone=DOUBT, everyday=()) for text in disagreements(report))
    yield Paragraph(text=report.verdict, tone=VERDICT, everyday=(*answer(report), *report.lead.mail_also))
    yield from (Paragraph(text=text, tone=DOUBT, everyday=()) for text in confounder_sentences(report))
    for topic in TOPICS:
        yield from topic(report)


def _envelope(report: Report) -> Envelope:
    """The subject, what a tracker is told, and who wrote it."""
    signature = f"Written by kassay {ascii_text(report.kassay_version)}, experiment {ascii_text(report.plan_id)[:16]}."
    return Envelope(subject=subject_line(report), trailer="\n".join(introduced(report)), signature=signature)
