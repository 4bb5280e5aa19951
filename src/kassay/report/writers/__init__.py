# SPDX-License-Identifier: GPL-2.0-only
"""Writers of documents: one module of this package each, with a constant WRITER of this class.

Each writes every answer. A writer knows blocks (report/document.py) and no question.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kassay.registry import load
from kassay.report.form import Form, FormOption

if TYPE_CHECKING:
    from kassay.report.columns import ScreenLine
    from kassay.report.document import Document

A = TypeVar("A")
WRITERS = "kassay.report.writers"


@dataclass(frozen=True, kw_only=True)
class Writer:
    """A way to write documents down."""

    name: str
    """As in --format, equal to the module's name."""
    suffix: str
    """Suffix of a file, with its dot."""
    summary: str
    """One line for people."""
    readers: tuple[str, ...]
    """Ways in which its documents are read, of report/document.py: it shows the sections for these."""
    write: "Callable[..., str]"
    """(document) -> text that ends with a newline; (document, given) of a writer with options."""
    lines: "Callable[[Document], Iterable[ScreenLine]] | None" = None
    """The same as lines with their styles, of a writer for a terminal."""
    options: tuple[FormOption, ...] = ()
    whole: bool = True
    """Whether the verdict is there word for word, and both states of a refused comparison."""
    page: str = ""
    """ "people" where every directory of runs gets a file report.SUFFIX, else ""."""


def writer_named(name: str) -> Writer:
    """One writer of names(WRITERS)."""
    return load(WRITERS, name, "WRITER", Writer)


def of_document(writer: Writer, document: "Callable[[A], Document]") -> Form[A]:
    """The form that writes an answer's document. document: of an answer."""
    lines = writer.lines
    return Form(
        name=writer.name, suffix=writer.suffix, summary=writer.summary, options=writer.options,
        render=lambda answer, *given: writer.write(document(answer), *given),
        screen=None if lines is None else lambda answer: lines(document(answer)),
    )  # fmt: skip
