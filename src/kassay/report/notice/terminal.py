# SPDX-License-Identifier: GPL-2.0-only
"""The answer as at most 120 columns of plain text."""

from kassay.model.notice import Notice
from kassay.report.columns import plain_lines, wrapped_note
from kassay.report.notice import NoticeFormat
from kassay.report.notice._tables import tables
from kassay.report.notice._words import looked_for, problems, title, verdict

_WIDTH = 120


def render(notice: Notice) -> str:
    """The question, the answer, the tables, and what must be known to read them."""
    lines = [title(notice), ""]
    for paragraph in (" ".join(verdict(notice)), " ".join(looked_for(notice.subject))):
        lines += [*wrapped_note(paragraph, _WIDTH), ""]
    for table in tables(notice):
        lines += [table.title, *plain_lines(table, _WIDTH)]
    for text in (*problems(notice), *notice.disclosures):
        lines += wrapped_note(text, _WIDTH)
    for command, why in notice.representative:
        lines += [*wrapped_note(why, _WIDTH), f"  {command}"]
    lines += [f"again: {command}" for command in notice.commands]
    return "\n".join(lines) + "\n"


FORMAT = NoticeFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
