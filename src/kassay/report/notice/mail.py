# SPDX-License-Identifier: GPL-2.0-only
"""The answer as a mailing list takes it: ASCII, 72 columns."""

from kassay.model.notice import Notice, Noticed
from kassay.model.texts import cells, figures, table
from kassay.report.columns import aligned, room_for_names
from kassay.report.mail.text import WIDTH, ascii_text, command, wrapped
from kassay.report.notice import NoticeFormat
from kassay.report.notice._words import calls_text, cost_text, entries_text, looked_for, share_text, sizes_text, verdict


def render(notice: Notice) -> str:
    """The answer first, then a row for each application, what was looked for, and the commands."""
    lines = [*wrapped(" ".join(verdict(notice))), "", *_rows(notice), ""]
    lines += [*wrapped(" ".join(looked_for(notice.subject))), ""]
    for text in (*sizes_text(notice), *notice.disclosures):
        lines += [*wrapped(text), ""]
    for text, why in notice.representative:
        lines += [*wrapped(why), *command(text), ""]
    lines += [line for text in notice.commands for line in command(text)]
    return "\n".join(lines) + "\n"


def _rows(notice: Notice) -> list[str]:
    answered = [application for application in notice.applications if application.verdict != "unknown"]
    if not answered:
        return []
    two = bool(notice.subject.head)
    columns = ("application", *figures("calls"), "by", *figures("instructions", *(["cost"] * two)))
    listing = table("", columns, [cells(*_cells(application, two)) for application in answered])
    return [ascii_text(line.text.rstrip()) for line in aligned(listing, WIDTH, room_for_names(listing, WIDTH))]


def _cells(application: Noticed, two: bool) -> tuple[str, ...]:
    if application.verdict == "unexecuted":
        return application.application, "0", "not executed", "0", *(["-"] * two)
    return (application.application, calls_text(application), entries_text(application.entries),
            cost_text(application, "head" if two else "base"), *([share_text(application.share)] * two))  # fmt: skip


FORMAT = NoticeFormat(name="mail", suffix=".txt", summary="for a mailing list: ASCII, 72 columns", render=render)
