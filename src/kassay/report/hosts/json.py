# SPDX-License-Identifier: GPL-2.0-only
"""The answer as JSON, for programs."""

from kassay.model.across import HostsAnswer
from kassay.model.records import to_indented_json
from kassay.report.hosts import HostsFormat


def render(answer: HostsAnswer) -> str:
    """The whole answer; ends with a newline."""
    return to_indented_json(answer)


FORMAT = HostsFormat(
    name="json", suffix=".json", summary="for programs: kassay-hosts/1, see docs/hosts.md", render=render
)
