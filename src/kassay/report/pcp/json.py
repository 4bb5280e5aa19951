# SPDX-License-Identifier: GPL-2.0-only
"""A simulation as JSON, for programs."""

from kassay.model.pcp import PcpSimulation
from kassay.model.records import to_indented_json
from kassay.report.pcp import SimulationFormat


def render(answer: PcpSimulation) -> str:
    """The whole answer; ends with a newline."""
    return to_indented_json(answer)


FORMAT = SimulationFormat(
    name="json", suffix=".json", summary="for programs: kassay-pcp-simulation/1, see docs/pcp.md", render=render
)
