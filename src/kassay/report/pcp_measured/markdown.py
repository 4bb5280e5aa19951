# SPDX-License-Identifier: GPL-2.0-only
"""A measurement as Markdown, for documents."""

from kassay.model.pcp_measured import PcpMeasured
from kassay.report.columns import markdown_table
from kassay.report.pcp_measured import MeasuredFormat
from kassay.report.pcp_measured._tables import notes, tables


def render(answer: PcpMeasured) -> str:
    """A heading and a table for each setting, then the notes."""
    blocks = [block for table in tables(answer) for block in (f"#### {table.title}", markdown_table(table))]
    return "\n\n".join((*blocks, "\n".join(f"- {note}" for note in notes(answer)))) + "\n"


FORMAT = MeasuredFormat(name="markdown", suffix=".md", summary="tables for a document", render=render)
