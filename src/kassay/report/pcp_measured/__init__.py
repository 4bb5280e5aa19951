# SPDX-License-Identifier: GPL-2.0-only
"""Formats of what was measured of the page allocator: one module of this package each, with a constant FORMAT."""

from typing import Any

from kassay.report.form import Form, form_named

MEASURED_FORMATS = "kassay.report.pcp_measured"


class MeasuredFormat(Form[Any]):
    """A way to write a measurement (model.pcp_measured.PcpMeasured) down."""


def measured_format(name: str) -> MeasuredFormat:
    """Raises BadInput that lists the formats."""
    return form_named(MEASURED_FORMATS, name, MeasuredFormat)
