# SPDX-License-Identifier: GPL-2.0-only
"""The answer as Markdown, for documents."""

from kassay.model.notice import Notice
from kassay.report.columns import markdown_table
from kassay.report.notice import NoticeFormat
from kassay.report.notice._tables import tables
from kassay.report.notice._words import looked_for, problems, title, verdict


def render(notice: Notice) -> str:
    """A heading, the answer, the tables, then what must be known to read them."""
    blocks = [f"### {title(notice)}", " ".join(verdict(notice)), " ".join(looked_for(notice.subject))]
    for table in tables(notice):
        blocks += [f"**{table.title}**", markdown_table(table)]
    notes = [*problems(notice), *notice.disclosures, *(f"{why} `{command}`" for command, why in notice.representative)]
    if notes:
        blocks.append("\n".join(f"- {note}" for note in notes))
    if notice.commands:
        blocks.append("\n".join(("```", *notice.commands, "```")))
    return "\n\n".join(blocks) + "\n"


FORMAT = NoticeFormat(name="markdown", suffix=".md", summary="tables for a document", render=render)
