# SPDX-License-Identifier: GPL-2.0-only
"""A measurement as Markdown, for documents."""

from kassay.model.pcp_measured import PcpMeasured
from kassay.model.texts import Table
from kassay.report.pcp_measured import MeasuredFormat
from kassay.report.pcp_measured._tables import notes, tables


def render(answer: PcpMeasured) -> str:
    """A heading and a table for each setting, then the notes."""
    blocks = [block for table in tables(answer) for block in (f"#### {table.title}", _table(table))]
    return "\n\n".join((*blocks, "\n".join(f"- {note}" for note in notes(answer)))) + "\n"


def _table(one: Table) -> str:
    rule = ["---:" if index in one.numeric else "---" for index in range(len(one.columns))]
    lines = [one.columns, rule, *([cell.text for cell in row] for row in one.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


FORMAT = MeasuredFormat(name="markdown", suffix=".md", summary="tables for a document", render=render)
