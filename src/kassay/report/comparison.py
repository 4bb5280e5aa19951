# SPDX-License-Identifier: GPL-2.0-only
"""The document of a report: of every question that compares kernels, and of imported results."""

from collections.abc import Iterator

from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.report.conditions import confounder_sentences
from kassay.report.document import (
    DOUBT,
    DRAWN,
    LETTER,
    PAGE,
    SCREEN,
    VERDICT,
    WRITTEN,
    Block,
    Document,
    Fact,
    Facts,
    Paragraph,
    Section,
)
from kassay.report.mail.answer import answer
from kassay.report.mail.letter import envelope, letter_blocks
from kassay.report.predictions import disagreements
from kassay.report.screen import screen_blocks
from kassay.report.sections import sections
from kassay.report.tables import matrices
from kassay.report.words import compilers, outcomes_text


def document(report: Report) -> Document:
    """Everything that a report says, for every reader."""
    return Document(
        title=report.title, kicker="kassay report", kassay_version=report.kassay_version, envelope=envelope(report),
        blocks=tuple(_blocks(report)),
    )  # fmt: skip


def _blocks(report: Report) -> Iterator[Block]:
    also = report.lead.mail_also if report.lead is not None else ()
    yield from (Paragraph(text=text, tone=DOUBT, everyday=()) for text in disagreements(report))
    yield Paragraph(text=report.verdict, tone=VERDICT, everyday=(*answer(report), *also))
    yield from (Paragraph(text=text, tone=DOUBT, everyday=()) for text in confounder_sentences(report))
    yield Section(blocks=screen_blocks(report), readers=(SCREEN,))
    yield Section(blocks=(_facts(report),), readers=(DRAWN,))
    shown = () if report.overview is not None else matrices(report)  # which has all of them in one table
    yield Section(blocks=shown, readers=(WRITTEN,))
    yield Section(blocks=sections(report), readers=(PAGE,))
    yield Section(blocks=tuple(letter_blocks(report)), readers=(LETTER,))


def _facts(report: Report) -> Facts:
    facts = (
        ("Scope", (report.scope,)),
        ("State", (reason_text(report.state),)),
        ("Compiler", tuple(f"{compiler}: {', '.join(refs)}" for compiler, refs in compilers(report))),
        ("Machine", (f"{report.machine.arch}, {report.machine.program}",)),
        ("Runs", (outcomes_text(report),)),
    )
    return Facts(rows=tuple(Fact(name=name, texts=tuple(map(one_line, texts))) for name, texts in facts if any(texts)))
