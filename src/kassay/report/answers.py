# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of answers besides reports: each is a document that every writer writes, and records for programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kassay.errors import BadInput
from kassay.registry import names
from kassay.report.answer_form import Form, unknown_form
from kassay.report.writers import WRITERS, writer_named

if TYPE_CHECKING:
    from kassay.report.document import Document

A = TypeVar("A")


def answer_formats(*more: str) -> tuple[str, ...]:
    """Names of an answer's formats, sorted; imports none of them. more: formats of its own."""
    return tuple(sorted((*names(WRITERS), "json", *more)))


def _json(answer: Any) -> str:
    from kassay.model.records import to_indented_json

    return to_indented_json(answer)


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[A]):
    """A kind of answer."""

    document: "Callable[[A], Document]"
    json: Callable[[A], str] = _json
    """The answer's records, for programs."""
    more: Mapping[str, Callable[[A], str]] = field(default_factory=dict)
    """Further formats for programs by name; the name is the suffix of a file, too."""

    @property
    def _data(self) -> Mapping[str, Callable[[A], str]]:
        return {"json": self.json, **self.more}

    def form(self, name: str) -> Form[A]:
        """One format of these answers. Raises BadInput that lists them."""
        if name in self._data:
            return Form(name=name, suffix=f".{name}", summary="for programs", render=self._data[name])
        if name in names(WRITERS):
            return Form(**writer_named(name).fields_for(self.document))
        raise unknown_form(name, sorted((*self._data, *names(WRITERS))))

    def forms(self) -> tuple[Form[A], ...]:
        """Every format of these answers."""
        return tuple(self.form(name) for name in sorted((*self._data, *names(WRITERS))))

    def of_suffix(self, suffix: str) -> Form[A]:
        """The format of files that end so. Raises BadInput that lists the suffixes."""
        for form in self.forms():
            if form.suffix == suffix:
                return form
        known = ", ".join(sorted(form.suffix for form in self.forms()))
        raise BadInput(f"--out: no format for a file that ends in {suffix!r}", f"known: {known}")
