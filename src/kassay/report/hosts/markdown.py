# SPDX-License-Identifier: GPL-2.0-only
"""The answer as Markdown, for documents."""

from kassay.model.across import HostsAnswer
from kassay.model.texts import Table
from kassay.report.hosts import HostsFormat
from kassay.report.hosts._tables import notes_of, sentence, tables


def render(answer: HostsAnswer) -> str:
    """A heading, a table and what it comes to for each comparison, the hosts, and what must be known."""
    hosts, *compared = tables(answer)
    blocks = [f"### {answer.title}"]
    for table, one in zip(compared, answer.comparisons, strict=True):
        blocks += [f"**{table.title}**", _table(table), sentence(one)]
    blocks += [f"**{hosts.title}**", _table(hosts), "\n".join(f"- {note}" for note in notes_of(answer))]
    return "\n\n".join(blocks).rstrip() + "\n"


def _table(one: Table) -> str:
    rule = ["---:" if index in one.numeric else "---" for index in range(len(one.columns))]
    lines = [one.columns, rule, *([cell.text.replace("|", "\\|") for cell in row] for row in one.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


FORMAT = HostsFormat(name="markdown", suffix=".md", summary="tables for a document", render=render)
