# SPDX-License-Identifier: GPL-2.0-only
"""Writers of documents: one module of this package each, with a constant WRITER of this class.

Each writes every answer. A writer knows blocks (report/document.py) and no question.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from kassay.registry import load
from kassay.report.answer_form import Form

if TYPE_CHECKING:
    from kassay.report.document import Document

A = TypeVar("A")
WRITERS = "kassay.report.writers"


@dataclass(frozen=True, kw_only=True)
class Writer(Form["Document"]):
    """A way to write documents down."""

    readers: tuple[str, ...]
    """Ways in which its documents are read, of report/document.py: it shows the sections for these."""

    def fields_for(self, document: "Callable[[A], Document]") -> dict[str, Any]:
        """Fields of the form that writes an answer. document: the document of an answer."""
        screen = self.screen
        return {
            **{field.name: getattr(self, field.name) for field in fields(Form)},
            "render": lambda answer, *given: self.render(document(answer), *given),
            "screen": None if screen is None else lambda answer: screen(document(answer)),
        }


def writer_named(name: str) -> Writer:
    """One writer of names(WRITERS)."""
    return load(WRITERS, name, "WRITER", Writer)
