# SPDX-License-Identifier: GPL-2.0-only
"""A simulation as at most 120 columns of plain text."""

import textwrap

from kassay.model.pcp import PcpSimulation
from kassay.model.texts import one_line
from kassay.report.columns import aligned, room_for_names
from kassay.report.pcp import SimulationFormat
from kassay.report.pcp._tables import notes, tables, verdict

_WIDTH = 120


def render(answer: PcpSimulation) -> str:
    """The verdict, the tables, and what must be known to read them."""
    lines = [*_wrapped(f"{answer.workload}: {verdict(answer)}"), ""]
    for table in tables(answer):
        lines.append(table.title)
        lines += [line.text.rstrip() for line in aligned(table, _WIDTH, room_for_names(table, _WIDTH))] + [""]
    for note in notes(answer):
        lines += _wrapped(note)
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(one_line(text), _WIDTH, subsequent_indent="  ", break_long_words=False)


FORMAT = SimulationFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
