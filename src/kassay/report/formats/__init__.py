# SPDX-License-Identifier: GPL-2.0-only
"""Formats of a report: those of its document (report/writers/), and one module of this package for each other one.

A module has a constant FORMAT of this class, which is made from the report's records.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from kassay.registry import load, names
from kassay.report.form import Form, unknown_form
from kassay.report.writers import WRITERS, Writer, of_document, writer_named

if TYPE_CHECKING:
    from kassay.model.report import Report
    from kassay.report.document import Document

FORMATS = "kassay.report.formats"


@dataclass(frozen=True, kw_only=True)
class Format(Form["Report"]):
    """A way to write a report down.

    whole: it has the report's verdict word for word, and both states of a refused comparison. partial: it cannot write
    some reports; render then raises BadInput that names another format. page: "people" or "programs" where every
    directory of runs gets a file report.SUFFIX for these readers, else "". beside: further files that belong to this
    page, (name, content).
    """

    whole: bool = True
    partial: bool = False
    page: str = ""
    beside: "Callable[[Report], Iterable[tuple[str, bytes]]] | None" = None


def format_names() -> tuple[str, ...]:
    """Names of all formats, sorted; imports none of them."""
    return tuple(sorted((*names(WRITERS), *names(FORMATS))))


def formats() -> Mapping[str, Format]:
    """Every report format by name."""
    return MappingProxyType({name: format_named(name) for name in format_names()})


def format_named(name: str) -> Format:
    """Raises BadInput that lists the formats."""
    if name in names(WRITERS):
        return _of_writer(writer_named(name))
    if name in names(FORMATS):
        return load(FORMATS, name, "FORMAT", Format)
    raise unknown_form(name, format_names())


def _of_writer(writer: Writer) -> Format:
    form = of_document(writer, _document)
    return Format(
        name=form.name, suffix=form.suffix, summary=form.summary, render=form.render, screen=form.screen,
        options=form.options, whole=writer.whole, page=writer.page, beside=_chart_files if writer.page else None,
    )  # fmt: skip


def _document(report: "Report") -> "Document":
    from kassay.report.comparison import document

    return document(report)


def _chart_files(report: "Report") -> Iterable[tuple[str, bytes]]:
    """Every chart of a report's page as SVG and PNG, for papers and mails; an overview has none."""
    if report.overview is not None:
        return ()
    from kassay.report.charts import charts

    return charts(report)
