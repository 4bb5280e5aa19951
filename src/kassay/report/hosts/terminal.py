# SPDX-License-Identifier: GPL-2.0-only
"""The answer as at most 120 columns of plain text."""

from kassay.model.across import HostsAnswer
from kassay.model.texts import one_line
from kassay.report.columns import plain_lines, wrapped_note
from kassay.report.hosts import HostsFormat
from kassay.report.hosts._tables import host_text, notes_of, sentence, tables

_WIDTH = 120


def render(answer: HostsAnswer) -> str:
    """The question, a table and a sentence for each comparison, the hosts, and the notes."""
    lines = [answer.title, ""]
    for table, comparison in zip(tables(answer)[1:], answer.comparisons, strict=True):
        lines += [*wrapped_note(table.title, _WIDTH), *plain_lines(table, _WIDTH)]
        lines[-1:] = [*wrapped_note(f"  {sentence(comparison)}", _WIDTH), ""]
    for host in answer.hosts:
        lines += wrapped_note(f"{host_text(host)}; {one_line(host.program) or 'emulator not on record'}", _WIDTH)
    lines.append("")
    for text in notes_of(answer):
        lines += wrapped_note(text, _WIDTH)
    return "\n".join(lines).rstrip() + "\n"


FORMAT = HostsFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
