# SPDX-License-Identifier: GPL-2.0-only
"""Samples as text; charts take time, so each sample is rendered once per format and session."""

from functools import cache

from kassay.model.report import Report
from kassay.registry import discover
from kassay.report.formats._format import Format
from kassay.report.icicle import library
from tests.report.reports import SAMPLES

FORMATS = discover("kassay.report.formats", "FORMAT", Format)
_SHELF = "/* the library */"


@cache
def rendered(name: str, sample: str) -> str:
    """A sample in the format called `name`, without the library that a page carries; whole() puts it back."""
    return without_library(name, SAMPLES[sample]())


def without_library(name: str, report: Report) -> str:
    """A report as text; what others wrote is no matter of these tests."""
    text = FORMATS[name].render(report)
    return text.replace(library(), _SHELF) if report.stacks and name == "html" else text


def whole(page: str) -> str:
    """A page as a browser gets it."""
    return page.replace(_SHELF, library())
