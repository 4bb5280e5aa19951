# SPDX-License-Identifier: GPL-2.0-only
"""The document: what nothing runs, the answer, the settings, patches, corners, and what was left out."""

from collections.abc import Iterator, Sequence

from kassay.labs.review.known import known_texts
from kassay.labs.review.model import Previous, Review
from kassay.labs.review.report._corner_words import corner_texts, corners, disagreements
from kassay.labs.review.report._tables import (
    brief_table,
    claims_table,
    corners_table,
    functions_table,
    once_table,
    predicted_table,
    previous_table,
    settings_table,
    step_tables,
    tries_table,
)
from kassay.labs.review.report._words import (
    cell_text,
    changelog,
    claim_texts,
    letter,
    measured,
    portable,
    reach,
    screened,
    since_previous,
    title,
    unexecuted,
    verdict,
)
from kassay.model.finding import CHANGES
from kassay.model.lines import NO_CODE
from kassay.model.texts import listed, one_line, shortened
from kassay.report.document import (
    DOUBT,
    LETTER,
    PAGE,
    QUIET,
    SCREEN,
    VERDICT,
    Block,
    Code,
    Document,
    Envelope,
    Items,
    Paragraph,
    Section,
    section,
    section_of_table,
)

_WIDE = (SCREEN, PAGE)
"""Readers that have room for a table of many columns."""
_BRANCHES, _OTHERS = 12, 8
_DISAGREE = "Corners with another verdict, or without one"
_UNDONE = "Not done, or not possible on this kernel"
_NOT_TAKEN = "Ways out of branches that no setting took, with the series"
MEANING = (
    "floor: the largest distance between runs of one kernel, some of them with moved memory, stack and mappings. "
    "n: plain runs of base + head. equivalent: the change is smaller than 1 %. Counts are exact and are not time."
)


def document(review: Review) -> Document:
    """The answer as blocks."""
    return Document(
        title=title(review), kicker="kassay review", kassay_version=review.kassay_version, width=132,
        envelope=_envelope(review),
        blocks=(*_idle(review), *_answer(review), *_rest(review)),
    )  # fmt: skip


def _envelope(review: Review) -> Envelope:
    signature = f"kassay {review.kassay_version}"
    if (mail := review.original) is None:
        return Envelope(subject=f"Re: [PATCH] {title(review)}", trailer="", signature=signature)
    return Envelope(
        subject=f"Re: {mail.subject}", trailer="", signature=signature, in_reply_to=mail.message_id,
        to=(mail.author,) if mail.author else (),
    )  # fmt: skip


def _idle(review: Review) -> Iterator[Block]:
    """Changed lines that nothing ran come first."""
    texts = unexecuted(review)
    if texts:
        yield Paragraph(
            text="No setting executed these changed lines in its measured part. Equal costs say nothing about them:",
            tone=DOUBT,
        )
        yield Items(texts=tuple(texts), tone=DOUBT)


def _answer(review: Review) -> Iterator[Block]:
    yield _paragraph(" ".join((*verdict(review), *corners(review))), VERDICT)
    if sentences := reach(review):
        yield _paragraph(" ".join(sentences))
    if cells := measured(review):
        units = Paragraph(text="Instructions per operation of the workload; lower is better.", tone=QUIET)
        yield section_of_table(settings_table(review), _WIDE)
        yield Section(blocks=(brief_table(review), units), readers=(LETTER,))
        if (predicted := predicted_table(review)) is not None:
            yield section_of_table(predicted)
        changed = [cell for cell in cells if cell.primary and cell.where and cell.verdict in CHANGES]
        where = [f"{cell_text(cell)}: {cell.where}" for cell in dict.fromkeys((*changed[:1], *changed[-1:]))]
        if where:
            yield section("In which functions", items=where, readers=_WIDE)
            yield section("In which functions", items=map(letter, where), readers=(LETTER,))
        refused = [f"{cell_text(cell)}: {cell.reason}" for cell in cells if cell.reason]
        if refused:
            yield Section(title="No verdict", blocks=(Items(texts=tuple(refused), tone=DOUBT),))


def _paragraph(text: str, tone: str = "") -> Paragraph:
    return Paragraph(text=text, tone=tone, everyday=(letter(text),))


def _rest(review: Review) -> Iterator[Block]:
    steps = tuple(step_tables(review))
    if steps:
        note = Paragraph(
            text="Rows of the first patches are compared with the row before, rows that leave a patch out with the "
            "whole series.",
            tone=QUIET,
        )  # fmt: skip
        same = tuple(f"{row.row}: {row.why}" for row in review.without_values)
        rows = (Items(texts=tuple(map(one_line, same)), bare=True),) if same else ()
        yield Section(title="Patch by patch", blocks=(*steps, *rows, note))
    if review.previous is not None:
        yield from _against_previous(review, review.previous)
    if review.corners:
        yield section_of_table(corners_table(review), _WIDE)
        yield _lines("Corners", corner_texts(review))
        if decided := tuple(map(one_line, disagreements(review))):
            yield section(_DISAGREE, items=decided, readers=_WIDE)
            yield _lines(_DISAGREE, decided)
    if review.claims is not None:
        yield from _claims(review)
    if review.functions:
        yield section_of_table(functions_table(review), _WIDE)
    if review.branches:
        texts = [f"{b.path}:{b.line} {b.function}(), {b.way}" for b in review.branches if b.kernel == "head"]
        shown = tuple(map(one_line, shortened(texts, _BRANCHES, "{} more in review.json")))
        yield Section(title=_NOT_TAKEN, blocks=(Items(texts=shown),), readers=_WIDE)
    if screened(review):
        yield section_of_table(once_table(review), _WIDE)
    if review.left:
        undone = tuple(one_line(f"{left.what}: {left.why}") for left in review.left)
        names = listed([left.what for left in review.left])
        yield Section(title=_UNDONE, blocks=(Items(texts=undone, tone=DOUBT),), readers=_WIDE)
        yield section("", text=(f"{_UNDONE}: {names}.",), readers=(LETTER,))
    yield Paragraph(text=_conditions(review), tone=QUIET)
    yield section_of_table(tries_table(review), _WIDE)
    yield section("For the changelog", code=(Code(text=changelog(review)),), readers=_WIDE)
    for command, readers in ((review.command, _WIDE), (portable(review.command), (LETTER,))):
        yield section("The same again", code=(Code(text=command, breaks="shell"),), readers=readers)
    if review.known is not None and (lines := known_texts(review.known)):
        first = Items(texts=tuple(map(one_line, lines)), bare=True)
        yield Section(title="Known before the first run", blocks=(first,), readers=(PAGE,))
    if review.others:
        idle = f"Run once, and {_why_idle(review)}: {listed(shortened(review.others, _OTHERS))}."
        yield Section(blocks=(Paragraph(text=idle, tone=QUIET),), readers=(PAGE,))


def _why_idle(review: Review) -> str:
    names = any(row.cells or (row.function and row.state != NO_CODE) for row in review.functions)
    return "execute no changed function" if names else "not among the largest changes"


def _against_previous(review: Review, previous: Previous) -> Iterator[Block]:
    if text := since_previous(review, previous):
        yield Paragraph(text=text)
    if (rows := previous_table(review)) is not None:
        yield section_of_table(rows)
    elif previous.same_image:
        yield Paragraph(text="The earlier version of the series makes the same kernel, byte for byte.")
    else:
        yield Paragraph(text=f"The earlier version was not measured: {one_line(previous.problem)}.", tone=DOUBT)


def _lines(title: str, texts: Sequence[str]) -> Section:
    """A line for each row, where a table would be too wide for a letter."""
    return section(title, items=(one_line(letter(text)) for text in texts), readers=(LETTER,))


def _claims(review: Review) -> Iterator[Block]:
    if review.claims:
        yield section_of_table(claims_table(review), _WIDE)
        yield _lines("Claims", claim_texts(review))
    else:
        yield Paragraph(text="The text that was checked claims no figure.")
    if review.not_named:
        yield Paragraph(text=f"The text does not name: {listed(review.not_named)}.", tone=DOUBT)


def _conditions(review: Review) -> str:
    if review.unbuilt:
        return f"Linux {review.base.release}."
    compiler = review.base.compiler or "an unknown compiler"
    where = f", {review.head.config} configuration{f', {review.machine}' if review.machine else ''}"
    return f"Linux {review.base.release}, {compiler}{where}. {MEANING if review.cells else ''}".rstrip()
