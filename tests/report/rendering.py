# SPDX-License-Identifier: GPL-2.0-only
"""Samples as text; rendering takes time, so each sample is made once, and rendered once per format and session."""

from functools import cache

import pytest
from _pytest.mark import ParameterSet

from kassay.errors import BadInput
from kassay.model.records import from_json, to_json
from kassay.model.report import Report
from kassay.report.formats import formats
from kassay.report.icicle import library
from tests.report.reports import SAMPLES

FORMATS = formats()
QUICK_PAGES = ("refused", "hostile")  # a page draws charts: half a second to two and a half each
_SHELF = "/* the library */"


@cache
def sample_report(sample: str) -> Report:
    """A sample; records do not change, so one is enough."""
    return SAMPLES[sample]()


@cache
def travelled(sample: str) -> Report:
    """A sample that went through JSON."""
    return from_json(to_json(sample_report(sample)), Report)


def pages() -> list[ParameterSet]:
    """Every sample, those whose page takes long to draw marked slow."""
    return [pytest.param(name, marks=[] if name in QUICK_PAGES else [pytest.mark.slow]) for name in SAMPLES]


def shown_by(name: str) -> tuple[str, ...]:
    """The samples that a format has a place for; a partial one refuses the others, with a way out."""
    return tuple(sample for sample in SAMPLES if not _refusal(name, sample))


def _refusal(name: str, sample: str) -> str:
    if not FORMATS[name].timed_only:
        return ""
    try:
        rendered(name, sample)
    except BadInput as error:
        assert error.what.startswith(f"--format {name}: ") and "--format" in error.remedy
        return error.what
    return ""


@cache
def rendered(name: str, sample: str) -> str:
    """A sample in the format called `name`, without the library that a page carries; whole() puts it back."""
    return without_library(name, sample_report(sample))


def without_library(name: str, report: Report) -> str:
    """A report as text; what others wrote is no matter of these tests."""
    text = FORMATS[name].render(report)
    return text.replace(library(), _SHELF) if report.stacks and name == "html" else text


def whole(page: str) -> str:
    """A page as a browser gets it."""
    return page.replace(_SHELF, library())
