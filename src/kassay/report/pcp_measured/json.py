# SPDX-License-Identifier: GPL-2.0-only
"""A measurement as JSON, for programs."""

from kassay.model.pcp_measured import PcpMeasured
from kassay.model.records import to_indented_json
from kassay.report.pcp_measured import MeasuredFormat


def render(answer: PcpMeasured) -> str:
    """The whole answer; ends with a newline."""
    return to_indented_json(answer)


FORMAT = MeasuredFormat(
    name="json", suffix=".json", summary="for programs: kassay-pcp-measured/1, see docs/pcp-measure.md", render=render
)
