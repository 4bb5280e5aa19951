# SPDX-License-Identifier: GPL-2.0-only
"""A document on one screen, as plain text, with styles where it is read at a terminal."""

from collections.abc import Iterator

from kassay.model.texts import Table, wrap, wrap_command
from kassay.report.columns import ScreenLine, aligned, column, pad, room_for_names, width_of
from kassay.report.document import (
    DOUBT,
    QUIET,
    SCREEN,
    VERDICT,
    Bars,
    Block,
    Code,
    Document,
    Facts,
    Items,
    Paragraph,
    Section,
    Sides,
    is_for,
)
from kassay.report.sides import sides_lines
from kassay.report.writers import Writer

_READERS = (SCREEN,)
_BAR = 30  # at most
_EIGHTHS = " ▏▎▍▌▋▊▉"
_HEADING = "bold cyan"
_TONES = {"": "", VERDICT: "bold", DOUBT: "yellow", QUIET: "dim"}
_MARKS = {"regression": "red", "improvement": "green", "equivalent": "", "": ""}
_INDENT = "  "
_ENDLESS = 100_000  # columns of a document without a width
_LABEL, _WIDE_LABEL, _MIDDLE = 10, 12, 40  # columns of names, of names with details, of values with details at most


def lines(document: Document) -> list[ScreenLine]:
    """The lines of a document with their styles."""
    page = _Page(document.width or _ENDLESS)
    head = page.wrapped(document.title, "bold") if document.title else []
    found = [*head, *(line for block in document.blocks for line in page.block(block, "", ""))]
    return found if found[:1] != [ScreenLine("")] else found[1:]


class _Page:
    """Layout in so many columns."""

    def __init__(self, width: int) -> None:
        self.width = width

    def block(self, block: Block, indent: str, heading: str) -> Iterator[ScreenLine]:
        """The lines of a block. heading: of the section around it."""
        match block:
            case Section():
                yield from self._section(block) if is_for(block, _READERS) else ()
            case Paragraph():
                yield from (ScreenLine(""),) if block.tone == VERDICT else ()
                yield from self.wrapped(block.text, _TONES[block.tone], indent)
            case Items():
                for text in block.texts:
                    yield from self.wrapped(text, _TONES[block.tone], _INDENT)
            case Facts():
                yield from self._facts(block)
            case Table():
                yield from self._table(block, titled=block.title not in ("", heading))
            case Bars():
                yield from self._bars(block)
            case Sides():
                yield from map(ScreenLine, sides_lines(block))
            case Code():
                yield from self.wrapped(block.caption, "", indent) if block.caption else ()
                yield from (ScreenLine(f"{_INDENT}{line}") for line in block.text.splitlines())

    def _section(self, section: Section) -> Iterator[ScreenLine]:
        """A group without a title begins with an empty line as well, unless it only holds sections."""
        grouped = not section.title and all(isinstance(block, Section) for block in section.blocks)
        yield from () if grouped or not section.blocks else (ScreenLine(""),)
        yield from self.wrapped(section.title, _HEADING) if section.title else ()
        yield from self.wrapped(section.subtitle, "dim") if section.subtitle else ()
        for block in section.blocks:
            yield from self.block(block, _INDENT if section.title else "", section.title)

    def _facts(self, facts: Facts) -> Iterator[ScreenLine]:
        detailed = [len(text) for row in facts.rows if row.detail for text in row.texts]
        label, middle = (_WIDE_LABEL, min(_MIDDLE, max(detailed)) + 2) if detailed else (_LABEL, 0)
        label = max(label, *(len(row.name) + 2 for row in facts.rows), label)
        for row in facts.rows:
            for number, text in enumerate(row.texts):
                name = "" if number else row.name
                if row.detail:
                    yield from self._beside(f"{name:{label}}", text, row.detail, middle)
                elif row.shell:
                    yield from map(ScreenLine, wrap_command(text, self.width, f"{name:{label}}", " " * label))
                else:
                    yield from self.wrapped(text or "-", _TONES[facts.tone], f"{name:{label}}")

    def _beside(self, label: str, text: str, detail: str, middle: int) -> Iterator[ScreenLine]:
        """A name, a value in a column of `middle` characters, and a detail that is wrapped beside them."""
        indent = " " * (len(label) + middle)
        head = f"{label}{text:{middle}}"
        if len(text) > middle - 2:  # the value is too long for its column: the detail stands below
            yield ScreenLine(head.rstrip())
            head = indent
        for line in wrap(detail, self.width, head, indent):
            yield ScreenLine(line)

    def _table(self, table: Table, *, titled: bool) -> Iterator[ScreenLine]:
        yield from self.wrapped(table.title, "", _INDENT) if titled else ()
        if self.width == _ENDLESS:
            yield from aligned(table, _ENDLESS, _ENDLESS, _ENDLESS)
        else:
            yield from aligned(table, self.width, table.name_width or room_for_names(table, self.width), wraps=True)

    def _bars(self, bars: Bars) -> Iterator[ScreenLine]:
        """A row a line, its bar behind the second column."""
        rows = [bars.table.columns, *(tuple(cell.text for cell in row) for row in bars.table.rows)]
        texts = list(zip(*rows, strict=True))
        columns = [column(each, right=i in bars.table.numeric) for i, each in enumerate(texts[:-1])]
        used = 12 + sum(width_of(each[0]) for each in columns) + max(map(len, texts[-1]))
        space = min(_BAR, self.width - used)
        top = max((value for value in bars.values if value is not None), default=0.0)
        drawn = ("", *(_bar(value, top, space) for value in bars.values))
        styles = ("dim", *(_MARKS.get(row[0].mark, "yellow") for row in bars.table.rows))
        for name, value, *others, last, bar, style in zip(*columns, texts[-1], drawn, styles, strict=True):
            yield ScreenLine(_INDENT + "  ".join((name, value, pad(bar, space), *others, last)), style)

    def wrapped(self, text: str, style: str = "", label: str = "") -> list[ScreenLine]:
        """Lines of the page's width; `label` stands before the first, the others are indented by as much."""
        indent = " " * len(label)
        found = wrap(text, self.width, label, indent) or [label]
        return [ScreenLine(line, style) for line in found]


def _bar(value: float | None, top: float, space: int) -> str:
    if value is None or value <= 0 or space <= 0:
        return ""
    eighths = max(1, round(value / top * space * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def write(document: Document) -> str:
    """Plain text; a report's has at most 96 columns, and more is in the markdown and html formats."""
    return "".join(f"{line.text.rstrip()}\n" for line in lines(document))


WRITER = Writer(
    name="terminal",
    readers=_READERS,
    suffix=".txt",
    summary="the answer on one screen, as plain text",
    render=write,
    screen=lines,
)
