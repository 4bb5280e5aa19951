# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as one page that needs no network, whole classes side by side."""

from kassay.report.codegen.formats import CodegenAnswer, CodegenFormat


def render(answer: CodegenAnswer) -> str:
    """The whole answer; ends with a newline."""
    from kassay.report.codegen import page

    return page.render(answer.report, answer.classes)


FORMAT = CodegenFormat(
    name="html", suffix=".html", summary="one page that needs no network, whole classes side by side", render=render
)
