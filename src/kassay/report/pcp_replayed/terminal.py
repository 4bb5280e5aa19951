# SPDX-License-Identifier: GPL-2.0-only
"""A replay as at most 120 columns of plain text."""

from kassay.model.pcp_replay import PcpReplay
from kassay.report.columns import plain_lines, wrapped_note
from kassay.report.pcp_replayed import ReplayedFormat
from kassay.report.pcp_replayed._tables import notes, tables, verdict

_WIDTH = 120


def render(answer: PcpReplay) -> str:
    """The verdict, the tables, and what must be known to read them."""
    lines = [*wrapped_note(verdict(answer), _WIDTH), ""]
    for table in tables(answer):
        lines += wrapped_note(table.title, _WIDTH)
        lines += plain_lines(table, _WIDTH)
    for note in notes(answer):
        lines += wrapped_note(note, _WIDTH)
    return "\n".join(lines) + "\n"


FORMAT = ReplayedFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
