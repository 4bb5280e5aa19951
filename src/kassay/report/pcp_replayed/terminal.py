# SPDX-License-Identifier: GPL-2.0-only
"""A replay as at most 120 columns of plain text."""

import textwrap

from kassay.model.pcp_replay import PcpReplay
from kassay.model.texts import one_line
from kassay.report.columns import aligned, room_for_names
from kassay.report.pcp_replayed import ReplayedFormat
from kassay.report.pcp_replayed._tables import notes, tables, verdict

_WIDTH = 120


def render(answer: PcpReplay) -> str:
    """The verdict, the tables, and what must be known to read them."""
    lines = [*_wrapped(verdict(answer)), ""]
    for table in tables(answer):
        lines += _wrapped(table.title)
        lines += [line.text.rstrip() for line in aligned(table, _WIDTH, room_for_names(table, _WIDTH))] + [""]
    for note in notes(answer):
        lines += _wrapped(note)
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(one_line(text), _WIDTH, subsequent_indent="  ", break_long_words=False)


FORMAT = ReplayedFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
