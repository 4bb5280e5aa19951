# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as tables to paste into an issue or a wiki."""

from kassay.report.codegen.formats import CodegenAnswer, CodegenFormat


def render(answer: CodegenAnswer) -> str:
    """The whole answer; ends with a newline."""
    from kassay.report.codegen.text import markdown

    return markdown(answer.report, answer.classes)


FORMAT = CodegenFormat(name="markdown", suffix=".md", summary="tables to paste into an issue or a wiki", render=render)
