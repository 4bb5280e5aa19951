# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay notice`: who executes what changed, and what it costs each."""

from collections.abc import Iterator

from kassay.labs.notice.model import Notice, Noticed
from kassay.labs.notice.report._tables import tables
from kassay.labs.notice.report._words import (
    calls_text,
    cost_share_text,
    cost_text,
    entries_text,
    looked_for,
    names_of,
    per_text,
    problems,
    sizes_text,
    title,
    verdict,
)
from kassay.model.texts import Table, cells, figures, table
from kassay.report.answers import Kind
from kassay.report.document import (
    LETTER,
    PAGE,
    SCREEN,
    VERDICT,
    Block,
    Code,
    Document,
    Items,
    Paragraph,
    Section,
    section_of_table,
)


def document(notice: Notice) -> Document:
    """The answer, the tables, and what must be known to read them."""
    sizes = tuple(Paragraph(text=text) for text in sizes_text(notice))
    notes = (*problems(notice), *notice.disclosures)
    return Document(
        title=title(notice), kicker="kassay notice", kassay_version=notice.kassay_version, width=120, level=3,
        blocks=(
            Paragraph(text=" ".join(verdict(notice)), tone=VERDICT),
            Section(blocks=(Paragraph(text=" ".join(looked_for(notice.subject))),)),
            Section(blocks=tuple(map(section_of_table, tables(notice))), readers=(SCREEN, PAGE)),
            Section(blocks=(*_brief(notice), *sizes), readers=(LETTER,)),
            Section(blocks=((Items(texts=notes),) if notes else ())),
            *_commands(notice),
        ),
    )  # fmt: skip


def _brief(notice: Notice) -> tuple[Table, ...]:
    """The applications in few columns."""
    answered = [application for application in notice.applications if application.verdict != "unknown"]
    two = bool(notice.subject.head)
    names = names_of(answered)
    columns = ("application", "per", *figures("calls"), "by", *figures("instructions", *(["cost"] * two)))
    rows = (cells(names(application), per_text(application), *_cells(application, two)) for application in answered)
    return (table("", columns, rows),) if answered else ()


def _cells(application: Noticed, two: bool) -> tuple[str, ...]:
    if application.verdict == "unexecuted":
        return "0", "not executed", "0", *(["-"] * two)
    by = entries_text(application.entries) if application.entries else "-"  # the atlas does not know them
    cost = cost_text(application, "head" if two else "base")
    return calls_text(application), by, cost, *([cost_share_text(application)] * two)


def _commands(notice: Notice) -> Iterator[Section]:
    """Commands that reproduce the calls of applications, and the same question again."""
    blocks: list[Block] = []
    for command, why in notice.representative:
        blocks += [Paragraph(text=why), Code(text=command, breaks="shell")]
    if blocks:
        yield Section(title="Sizes to measure", blocks=tuple(blocks))
    if notice.commands:
        yield Section(title="The same question again", blocks=(Code(text="\n".join(notice.commands), breaks="shell"),))


NOTICE = Kind(document=document)
