# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as at most 120 columns of plain text."""

from kassay.report.codegen.formats import CodegenAnswer, CodegenFormat


def render(answer: CodegenAnswer) -> str:
    """The whole answer; ends with a newline."""
    from kassay.report.codegen.text import terminal

    return terminal(answer.report, answer.classes)


FORMAT = CodegenFormat(name="terminal", suffix=".txt", summary="at most 120 columns of plain text", render=render)
