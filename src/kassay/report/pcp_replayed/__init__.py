# SPDX-License-Identifier: GPL-2.0-only
"""Formats of replayed page traces: one module of this package each, with a constant FORMAT."""

from typing import Any

from kassay.report.form import Form, form_named

REPLAYED_FORMATS = "kassay.report.pcp_replayed"


class ReplayedFormat(Form[Any]):
    """A way to write a replay (model.pcp_replay.PcpReplay) down."""


def replayed_format(name: str) -> ReplayedFormat:
    """Raises BadInput that lists the formats."""
    return form_named(REPLAYED_FORMATS, name, ReplayedFormat)
