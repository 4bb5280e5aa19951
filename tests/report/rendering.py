# SPDX-License-Identifier: GPL-2.0-only
"""Samples as text; charts take time, so each sample is rendered once per format and session."""

from functools import cache

from kassay.registry import discover
from kassay.report.formats._format import Format
from tests.report.reports import SAMPLES

FORMATS = discover("kassay.report.formats", "FORMAT", Format)


@cache
def rendered(name: str, sample: str) -> str:
    """A sample in the format called `name`."""
    return FORMATS[name].render(SAMPLES[sample]())
