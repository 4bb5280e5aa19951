# SPDX-License-Identifier: GPL-2.0-only
"""The answer on one screen: verdict, values with their steps, what it means, what to run next."""

from typing import TYPE_CHECKING

from kassay.report.formats import Format

if TYPE_CHECKING:
    from kassay.model.report import Report
    from kassay.report.columns import ScreenLine


def render(report: "Report") -> str:
    """Plain text of at most 96 columns; more is in the markdown and html formats."""
    return "".join(f"{line.text.rstrip()}\n" for line in screen(report))


def screen(report: "Report") -> "list[ScreenLine]":
    """The same lines, with their styles."""
    from kassay.report.screen import answer_lines

    return answer_lines(report)


FORMAT = Format(
    name="terminal", suffix=".txt", summary="the answer on one screen, as plain text", render=render, screen=screen
)
