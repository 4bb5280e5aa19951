# SPDX-License-Identifier: GPL-2.0-only
"""A measurement as at most 120 columns of plain text."""

import textwrap

from kassay.model.pcp_measured import PcpMeasured
from kassay.model.texts import one_line
from kassay.report.columns import aligned, room_for_names
from kassay.report.pcp_measured import MeasuredFormat
from kassay.report.pcp_measured._tables import notes, tables

_WIDTH = 120


def render(answer: PcpMeasured) -> str:
    """The tables, and what must be known to read them."""
    lines: list[str] = []
    for table in tables(answer):
        lines.append(table.title)
        lines += [line.text.rstrip() for line in aligned(table, _WIDTH, room_for_names(table, _WIDTH))] + [""]
    for note in notes(answer):
        lines += textwrap.wrap(one_line(note), _WIDTH, subsequent_indent="  ", break_long_words=False)
    return "\n".join(lines) + "\n"


FORMAT = MeasuredFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
