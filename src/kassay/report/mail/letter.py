# SPDX-License-Identifier: GPL-2.0-only
"""What a mail says of a report below its first paragraphs, in words that its readers already know."""

from collections.abc import Iterator

from kassay.model.finding import REFUSED, Finding
from kassay.model.report import Report
from kassay.report.document import Block, Envelope, Paragraph, Section, section
from kassay.report.kernel_share import program_groups, share_sentence
from kassay.report.mail.conditions import kernels, measured, state
from kassay.report.mail.headline import headline, introduced, subject_line
from kassay.report.mail.imported import UNSEARCHED, origin, unknown
from kassay.report.mail.judged import how_sure
from kassay.report.mail.names import everyday_sentence, names
from kassay.report.mail.results import counts_and_time, failed, functions, results, seed_rules
from kassay.report.mail.text import ascii_text
from kassay.report.predictions import disagreements, mail_sentence
from kassay.report.repeat import to_reproduce

_PROGRAMS = 4
_ALONE = "The program does nothing but this; what an application notices of it is another question."


def letter_blocks(report: Report) -> Iterator[Block]:
    """Figures, how sure they are, under which conditions they hold, and how to repeat them."""
    yield from results(report)
    yield from functions(report)
    yield from _shares(report)
    yield from counts_and_time(report)
    yield from _predicted(report)
    yield from _sure(report)
    yield from failed(report)
    yield from measured(report)
    yield from state(report)
    yield from kernels(report)
    yield from origin(report)
    yield from to_reproduce(report)
    yield from _limits(report)
    yield from seed_rules(report)


def envelope(report: Report) -> Envelope:
    """The subject, what a tracker is told, and who wrote it."""
    signature = f"Written by kassay {ascii_text(report.kassay_version)}, experiment {ascii_text(report.plan_id)[:16]}."
    return Envelope(subject=subject_line(report), trailer="\n".join(introduced(report)), signature=signature)


def _sure(report: Report) -> Iterator[Paragraph]:
    first, *others = how_sure(report) or [""]
    if first:
        yield from (Paragraph(text=text) for text in (f"How sure: {first}", *others))


def _shares(report: Report) -> Iterator[Paragraph]:
    """Of programs and applications: how much of each is the kernel's, and for which system calls and faults."""
    spoken = names(report)
    for group in program_groups(report)[:_PROGRAMS]:
        ends = (share_sentence(share, name=spoken[share.label]) for share in (group[0], group[-1]))
        yield Paragraph(text=" ".join(ends))


def _predicted(report: Report) -> Iterator[Paragraph]:
    """The prediction for the comparison of the headline, and where its counts disagree."""
    topic = headline(report)
    text = mail_sentence(topic.finding) if topic is not None else ""
    if text:
        yield Paragraph(text=" ".join((text, *disagreements(report))))


def _limits(report: Report) -> Iterator[Section]:
    """The report's own limits, and the two that every such mail has."""
    items = [everyday_sentence(report, reason) for reason in report.disclosures if reason.code != "command-line"]
    topic = headline(report)
    if report.sources:
        items = unknown(report)
    elif topic is not None:
        items += [] if program_groups(report) else [_ALONE]
        items += _not_found(report) if _stands(topic.finding) else []
    if items:
        yield section("What this does not show", items=items)


def _not_found(report: Report) -> tuple[str, ...]:
    """What is not known of the commit that caused the change."""
    if report.lead is not None and report.lead.mail_open is not None:
        return report.lead.mail_open
    return (UNSEARCHED,)


def _stands(f: Finding) -> bool:
    return f.verdict not in (*REFUSED, "inconclusive", "equivalent")
