# SPDX-License-Identifier: GPL-2.0-only
"""The forms of a codegen report, by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from kassay.errors import BadInput
from kassay.model.codegen import CodegenReport
from kassay.report.codegen import page, text

Pair = tuple[str, str] | None


class CodegenFormat(NamedTuple):
    """render: (report, the two classes to show) -> text."""

    suffix: str
    render: Callable[[CodegenReport, Pair], str]


def _json(report: CodegenReport, _: Pair) -> str:
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


FORMATS: Mapping[str, CodegenFormat] = MappingProxyType(
    {
        "terminal": CodegenFormat(".txt", text.terminal),
        "markdown": CodegenFormat(".md", text.markdown),
        "json": CodegenFormat(".json", _json),
        "html": CodegenFormat(".html", page.render),
    }
)


def of_suffix(suffix: str) -> CodegenFormat:
    """Raises BadInput that lists the suffixes."""
    for form in FORMATS.values():
        if form.suffix == suffix:
            return form
    known = ", ".join(form.suffix for form in FORMATS.values())
    raise BadInput(f"--out: no format for a file that ends in {suffix!r}", f"known: {known}")
