# SPDX-License-Identifier: GPL-2.0-only
"""Formats of a report: one module of this package each, with a constant FORMAT of this class."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kassay.registry import discover
from kassay.report.form import Form, form_named

if TYPE_CHECKING:
    from kassay.model.report import Report

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


def formats() -> Mapping[str, Format]:
    """Every report format by name."""
    return discover(FORMATS, "FORMAT", Format)


def format_named(name: str) -> Format:
    """Raises BadInput that lists the formats."""
    return form_named(FORMATS, name, Format)
