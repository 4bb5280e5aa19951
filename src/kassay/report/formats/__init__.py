# SPDX-License-Identifier: GPL-2.0-only
"""Formats of a report: those of its document (report/writers/), and one module of this package for each other one.

A module has a constant FORMAT of this class, which is made from the report's records.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from kassay.registry import load, names, own_names
from kassay.report.answer_form import Form, unknown_form
from kassay.report.writers import WRITERS, writer_named

if TYPE_CHECKING:
    from kassay.model.report import Report
    from kassay.report.document import Document

FORMATS = "kassay.report.formats"


@dataclass(frozen=True, kw_only=True)
class Format(Form["Report"]):
    """A way to write a report down."""

    complete: bool = False
    """It has every field of a report, as JSON."""
    timed_only: bool = False
    """It has nothing but times of boots: render raises BadInput for a report without any, and names another format."""
    beside: "Callable[[Report], Iterable[tuple[str, bytes]]] | None" = None
    """Further files that belong to the page of a directory of runs, (name, content)."""
    files: "Callable[[Report], Mapping[str, str]] | None" = None
    """Every file of a format that is a directory, by name. `render` then writes the one that says most."""


def format_names() -> tuple[str, ...]:
    """Names of all formats, sorted; imports none of them."""
    return tuple(sorted((*names(WRITERS), *names(FORMATS))))


def formats() -> Mapping[str, Format]:
    """Every report format by name."""
    return MappingProxyType({name: format_named(name) for name in format_names()})


def format_named(name: str) -> Format:
    """Raises BadInput that lists the formats."""
    if name in names(WRITERS):
        writer = writer_named(name)
        return Format(**writer.fields_for(_document), beside=_chart_files if writer.page else None)
    if name in names(FORMATS):
        return load(FORMATS, name, "FORMAT", Format)
    raise unknown_form(name, format_names())


def complete_format() -> Format:
    """The format by which two reports are compared field by field; never one of KASSAY_PATH."""
    own = (format_named(name) for name in sorted(own_names(FORMATS)))
    return next(form for form in own if form.complete)


def _document(report: "Report") -> "Document":
    from kassay.report.comparison import document

    return document(report)


def _chart_files(report: "Report") -> Iterable[tuple[str, bytes]]:
    """Every chart of a report's page as SVG and PNG, for papers and mails; an overview has none."""
    if report.overview is not None:
        return ()
    from kassay.report.charts import charts

    return charts(report)
