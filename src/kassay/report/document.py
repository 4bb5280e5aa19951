# SPDX-License-Identifier: GPL-2.0-only
"""A document: what an answer says, as a tree of blocks. Formats write blocks and know no question."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from msgspec import structs

from kassay.model.codegen import Instruction
from kassay.model.records import Record
from kassay.model.report import KernelStacks
from kassay.model.texts import Table

VERDICT, DOUBT, QUIET = "verdict", "doubt", "quiet"
"""Tones of a paragraph: the answer itself, what weakens it or is left out, and conditions that frame the figures."""
SCREEN, LETTER, PAGE, WRITTEN, DRAWN = "screen", "mail", "page", "written", "drawn"
"""Ways to read a document: briefly at a terminal, in a mail, and whole; a whole one is written as text or drawn."""


class Paragraph(Record, frozen=True, kw_only=True):
    """One paragraph."""

    text: str
    tone: str = ""
    """VERDICT, DOUBT, QUIET, or "" for plain text."""
    everyday: tuple[str, ...] | None = None
    """Paragraphs in its place for readers who do not know kassay, as those of a mail; None if it serves them, too."""


class Items(Record, frozen=True, kw_only=True):
    """A list of texts in no order."""

    texts: tuple[str, ...]
    tone: str = ""
    bare: bool = False
    """Entries that are rows rather than sentences: a mail indents them and marks none."""


class Fact(Record, frozen=True, kw_only=True):
    """A name with its value."""

    name: str
    texts: tuple[str, ...]
    detail: str = ""
    """Text that stands beside the value, in a column of its own where there is room."""
    shell: bool = False
    """True if the texts are commands, to be pasted."""

    @property
    def line(self) -> str:
        """All of it on one line."""
        return f"{self.name}: {'; '.join(filter(None, (*self.texts, self.detail)))}"


class Facts(Record, frozen=True, kw_only=True):
    """Names with their values."""

    rows: tuple[Fact, ...]
    tone: str = ""


class Code(Record, frozen=True, kw_only=True):
    """Text that every format shows as it is."""

    text: str
    caption: str = ""
    breaks: str = ""
    """Places where a line that is too long may be broken: at "words", as "shell" with a backslash, or "" nowhere."""


class Bars(Record, frozen=True, kw_only=True):
    """A table with a bar in each row, for formats of text; pages have a chart."""

    table: Table
    values: tuple[float | None, ...]
    """Length of each row's bar; None for a row without one."""


class PairRow(NamedTuple):
    """One line of two listings."""

    mark: str
    """ "" for the same instruction (labels may have other numbers), "|" for another one, "<" and ">" for one that only
    the left or the right has."""
    left: Instruction | None
    right: Instruction | None
    gap: int = 0
    """Number of equal rows that were left out here."""


class Sides(Record, frozen=True, kw_only=True):
    """Two listings of code side by side, every instruction of both."""

    left: str
    right: str
    rows: tuple[PairRow, ...]
    unit: str = ""
    """Unit of the executions before each instruction; "" if they were not counted."""


class Key(Record, frozen=True, kw_only=True):
    """One entry of a chart's legend."""

    text: str
    mark: str = ""
    """The mark it explains: "dot", "diamond", "line", "dashed", or a verdict's colour; "" for a remark."""
    role: str = ""
    """Colour of a line, as report.chart names it."""


class Chart(Record, frozen=True, kw_only=True):
    """A drawing for pages. Formats of text leave it out: the tables around it have the same figures."""

    title: str = ""
    wide: dict[str, Any] | None
    """Vega-Lite in the colours of report.chart; None if there is no value to draw."""
    narrow: dict[str, Any] | None = None
    """The same for screens of up to 640 pixels; None if `wide` serves both."""
    legend: tuple[Key, ...] = ()
    absent: str = ""
    """Text shown in place of a drawing that has no values."""


class Stacks(Record, frozen=True, kw_only=True):
    """Call stacks of one metric, to search on a page."""

    title: str
    kernels: tuple[KernelStacks, ...]


class Section(Record, frozen=True, kw_only=True):
    """Blocks that belong together. A section with a title holds none that has one."""

    blocks: "tuple[Block, ...]"
    title: str = ""
    """Heading; "" groups blocks without one."""
    subtitle: str = ""
    """Conditions that the whole section holds under."""
    readers: tuple[str, ...] = ()
    """Ways to read that it is for; empty for all."""


Block: TypeAlias = Paragraph | Items | Facts | Code | Table | Bars | Sides | Chart | Stacks | Section


class Envelope(Record, frozen=True, kw_only=True):
    """The parts of a mail around its text."""

    subject: str
    trailer: str
    """Text after all others that programs read, such as the robot of a regression tracker."""
    signature: str
    in_reply_to: str = ""
    """Message-ID that the mail answers, unless the user names another one."""
    to: tuple[str, ...] = ()
    """Recipients, unless the user names others."""


class Document(Record, frozen=True, kw_only=True):
    """One answer."""

    title: str
    blocks: tuple[Block, ...]
    kicker: str
    """The kind of answer, above the title of a page."""
    kassay_version: str
    envelope: Envelope | None = None
    """None for an answer that no one sends by itself; its mail is a text to paste."""
    width: int = 96
    """Columns of a terminal that its tables are made for; 0 for as many as they need."""
    level: int = 1
    """Level of the title's heading; more than 1 for a document that is pasted into another one."""


def is_for(section: Section, readers: Collection[str]) -> bool:
    """True if a section is for one of these ways of reading."""
    return not section.readers or any(reader in section.readers for reader in readers)


def flat(readers: Collection[str], blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that a writer shows, in order; a group without a title is replaced by what is in it.

    readers: the ways in which its documents are read.
    """
    for block in blocks:
        if not isinstance(block, Section):
            yield block
        elif is_for(block, readers):
            yield from (block,) if block.title else flat(readers, block.blocks)


def section(
    title: str, *, text: Iterable[str] = (), chart: Chart | None = None, items: Iterable[str] = (),
    tables: Iterable[Table] = (), stacks: Iterable[Stacks] = (), code: Iterable[Code] = (),
    readers: tuple[str, ...] = (),
) -> Section:  # fmt: skip
    """A section in the usual order; what is empty is left out."""
    paragraphs, texts = (Paragraph(text=each) for each in text), tuple(items)
    drawn, listed = (chart,) if chart is not None else (), (Items(texts=texts),) if texts else ()
    return Section(title=title, blocks=(*paragraphs, *drawn, *listed, *tables, *stacks, *code), readers=readers)


def filled(
    title: str, *, text: Iterable[str] = (), items: Iterable[str] = (), tables: Iterable[Table] = (),
    code: Iterable[Code] = (), readers: tuple[str, ...] = (),
) -> Iterator[Section]:  # fmt: skip
    """The same, if it has more than text."""
    found = section(title, text=text, items=items, tables=tables, code=code, readers=readers)
    if any(not isinstance(block, Paragraph) for block in found.blocks):
        yield found


def section_of_table(table: Table, readers: tuple[str, ...] = ()) -> Section:
    """A section with the table's title, and its first column as wide as there is room."""
    return Section(title=table.title, blocks=(structs.replace(table, title="", name_width=0),), readers=readers)


def letter(title: str, tables: Iterable[Table], text: Iterable[str], items: tuple[str, ...] = ()) -> Section:
    """A section of a mail: a list of rows, tables, and paragraphs below them."""
    rows = (Items(texts=items, bare=True),) if items else ()
    return Section(title=title, blocks=(*rows, *tables, *(Paragraph(text=each) for each in text)), readers=(LETTER,))
