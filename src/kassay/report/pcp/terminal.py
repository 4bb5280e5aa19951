# SPDX-License-Identifier: GPL-2.0-only
"""A simulation as at most 120 columns of plain text."""

from kassay.model.pcp import PcpSimulation
from kassay.report.columns import plain_lines, wrapped_note
from kassay.report.pcp import SimulationFormat
from kassay.report.pcp._tables import notes, tables, verdict

_WIDTH = 120


def render(answer: PcpSimulation) -> str:
    """The verdict, the tables, and what must be known to read them."""
    lines = [*wrapped_note(f"{answer.workload}: {verdict(answer)}", _WIDTH), ""]
    for table in tables(answer):
        lines.append(table.title)
        lines += plain_lines(table, _WIDTH)
    for note in notes(answer):
        lines += wrapped_note(note, _WIDTH)
    return "\n".join(lines) + "\n"


FORMAT = SimulationFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
