# SPDX-License-Identifier: GPL-2.0-only
"""The answer as Markdown, for documents."""

from kassay.model.across import HostsAnswer
from kassay.report.columns import markdown_table
from kassay.report.hosts import HostsFormat
from kassay.report.hosts._tables import notes_of, sentence, tables


def render(answer: HostsAnswer) -> str:
    """A heading, a table and a sentence for each comparison, the hosts, and the notes."""
    hosts, *compared = tables(answer)
    blocks = [f"### {answer.title}"]
    for table, comparison in zip(compared, answer.comparisons, strict=True):
        blocks += [f"**{table.title}**", markdown_table(table), sentence(comparison)]
    blocks += [f"**{hosts.title}**", markdown_table(hosts), "\n".join(f"- {note}" for note in notes_of(answer))]
    return "\n\n".join(blocks).rstrip() + "\n"


FORMAT = HostsFormat(name="markdown", suffix=".md", summary="tables for a document", render=render)
