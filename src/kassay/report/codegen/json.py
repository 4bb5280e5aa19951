# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as JSON, for programs."""

from kassay.model.records import to_indented_json
from kassay.report.codegen import CodegenAnswer, CodegenFormat


def render(answer: CodegenAnswer) -> str:
    """The whole answer; ends with a newline."""
    return to_indented_json(answer.report)


FORMAT = CodegenFormat(
    name="json", suffix=".json", summary="for programs: kassay-codegen/1, see docs/codegen.md", render=render
)
