# SPDX-License-Identifier: GPL-2.0-only
"""A codegen answer as JSON, for programs."""

from kassay.report.codegen import CodegenAnswer, CodegenFormat


def render(answer: CodegenAnswer) -> str:
    """The whole answer; ends with a newline."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(answer.report), indent=2).decode() + "\n"


FORMAT = CodegenFormat(
    name="json", suffix=".json", summary="for programs: kassay-codegen/1, see docs/codegen.md", render=render
)
