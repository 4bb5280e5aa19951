# SPDX-License-Identifier: GPL-2.0-only
"""The answer as Markdown, for documents."""

from kassay.model.notice import Notice
from kassay.model.texts import Table
from kassay.report.notice import NoticeFormat
from kassay.report.notice._tables import tables
from kassay.report.notice._words import looked_for, title, verdict


def render(notice: Notice) -> str:
    """A heading, the answer, the tables, then what must be known to read them."""
    blocks = [f"### {title(notice)}", " ".join(verdict(notice)), " ".join(looked_for(notice.subject))]
    for table in tables(notice):
        blocks += [f"**{table.title}**", _table(table)]
    problems = [
        f"{application.application}: {application.problem}"
        for application in notice.applications
        if application.problem
    ]
    notes = [*problems, *notice.disclosures, *(f"{why} `{command}`" for command, why in notice.representative)]
    if notes:
        blocks.append("\n".join(f"- {note}" for note in notes))
    if notice.commands:
        blocks.append("\n".join(("```", *notice.commands, "```")))
    return "\n\n".join(blocks) + "\n"


def _table(one: Table) -> str:
    rule = ["---:" if index in one.numeric else "---" for index in range(len(one.columns))]
    lines = [one.columns, rule, *([cell.text for cell in row] for row in one.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


FORMAT = NoticeFormat(name="markdown", suffix=".md", summary="tables for a document", render=render)
