# SPDX-License-Identifier: GPL-2.0-only
"""A replay as JSON, for programs."""

from kassay.model.pcp_replay import PcpReplay
from kassay.model.records import to_indented_json
from kassay.report.pcp_replayed import ReplayedFormat


def render(answer: PcpReplay) -> str:
    """The whole answer; ends with a newline."""
    return to_indented_json(answer)


FORMAT = ReplayedFormat(
    name="json", suffix=".json", summary="for programs: kassay-pcp-replay/1, see docs/pcp.md", render=render
)
