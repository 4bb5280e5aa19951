# SPDX-License-Identifier: GPL-2.0-only
"""A measurement as at most 120 columns of plain text."""

from kassay.model.pcp_measured import PcpMeasured
from kassay.report.columns import plain_lines, wrapped_note
from kassay.report.pcp_measured import MeasuredFormat
from kassay.report.pcp_measured._tables import notes, tables

_WIDTH = 120


def render(answer: PcpMeasured) -> str:
    """The tables, and what must be known to read them."""
    lines: list[str] = []
    for table in tables(answer):
        lines.append(table.title)
        lines += plain_lines(table, _WIDTH)
    for note in notes(answer):
        lines += wrapped_note(note, _WIDTH)
    return "\n".join(lines) + "\n"


FORMAT = MeasuredFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
