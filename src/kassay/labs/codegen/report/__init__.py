# SPDX-License-Identifier: GPL-2.0-only
"""The document of a codegen answer: the function in each reference, in classes of the same code, and side by side."""

from collections.abc import Iterable, Iterator

from kassay import __version__
from kassay.labs.codegen.report.words import (
    CodegenAnswer,
    asked_pair,
    compilers,
    executed_sentences,
    leaders,
    notes,
    tables,
    title_of,
)
from kassay.model.codegen import Body
from kassay.model.records import to_indented_json
from kassay.model.texts import one_line
from kassay.report.answers import Kind
from kassay.report.document import (
    DRAWN,
    SCREEN,
    VERDICT,
    WRITTEN,
    Document,
    Fact,
    Facts,
    Paragraph,
    Section,
    Sides,
    section_of_table,
)
from kassay.report.sides import aligned_sides

_MOST = 6
"""Pairs of classes on a page when none was asked for."""


def document(answer: CodegenAnswer) -> Document:
    """The whole answer. Formats of text have two classes side by side where they were asked for; a page has the first
    beside each of the others."""
    report, asked = answer.report, asked_pair(answer)
    bodies = leaders(report)
    pairs = asked or [(bodies[0], other) for other in bodies[1 : _MOST + 1]]
    source = f" of {one_line(report.source)}" if report.source else ""
    sentences = tuple(Paragraph(text=text) for text in executed_sentences(report))
    return Document(
        title=f"{report.function}: generated code", kicker=f"kassay: generated code{source}",
        kassay_version=__version__, width=120,
        blocks=(
            Paragraph(text=report.verdict, tone=VERDICT),
            Section(blocks=sentences),
            *map(section_of_table, tables(report)),
            Section(title="How to read this", blocks=(Facts(rows=tuple(_facts(answer))),)),
            Section(blocks=tuple(_side_by_side(asked, report.unit)), readers=(SCREEN, WRITTEN)),
            Section(blocks=tuple(_side_by_side(pairs, report.unit)), readers=(DRAWN,)),
        ),
    )  # fmt: skip


def _facts(answer: CodegenAnswer) -> Iterator[Fact]:
    report = answer.report
    yield from (Fact(name="compiler", texts=(f"{name}: {whose}",)) for name, whose in compilers(report))
    yield from (Fact(name="note", texts=(text,)) for text in notes(report))
    yield from (Fact(name="scope", texts=(text,)) for text in report.disclosures)


def _side_by_side(pairs: Iterable[tuple[Body, Body]], unit: str) -> Iterator[Section]:
    for left, right in pairs:
        counted = any(instruction.count is not None for body in (left, right) for instruction in body.instructions)
        sides = Sides(
            left=title_of(left), right=title_of(right), unit=one_line(unit) if counted else "",
            rows=tuple(aligned_sides(left.instructions, right.instructions)),
        )  # fmt: skip
        yield Section(title=f"{left.own_class} and {right.own_class} side by side", blocks=(sides,))


def disclosures(*, image: bool, counted: bool) -> tuple[str, ...]:
    """How far the answer reaches. image: of code of kernel images; counted: with how often it was executed."""
    return (*_NORMALISED, *(_IMAGE if image else ()), *(_EXECUTED if counted else ()))


_NORMALISED = (
    "A class is equal machine code: names stand for addresses and relocated fields, numbered labels for places "
    "jumped to; no-ops and traps that align or part code, and the tracer's call at the entry, are left out.",
    "bytes: whether the raw bytes are those of the class's first row as well, no-ops included, fields that "
    "hold addresses outside of the function zeroed.",
    "Code that the kernel patches in at boot (alternatives, static calls) is compared as it was compiled; a "
    "static branch is named with its key.",
)
_IMAGE = (
    "An image has no relocations: a number that lies inside the kernel is taken for an address, and constants "
    "without a symbol are called data unless they are text.",
    "An image's sizes end with the last instruction; a trap behind it counts as padding.",
)
_EXECUTED = (
    "Executed is counted in the booted kernel, no-ops and patched code included; an instruction is not a nanosecond.",
)
CODEGEN = Kind(document=document, json=lambda answer: to_indented_json(answer.report))
