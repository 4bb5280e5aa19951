# SPDX-License-Identifier: GPL-2.0-only
"""A replay as JSON, for programs."""

from kassay.model.pcp_replay import PcpReplay
from kassay.report.pcp_replayed import ReplayedFormat


def render(answer: PcpReplay) -> str:
    """The whole answer; ends with a newline."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(answer), indent=2).decode() + "\n"


FORMAT = ReplayedFormat(
    name="json", suffix=".json", summary="for programs: kassay-pcp-replay/1, see docs/pcp.md", render=render
)
