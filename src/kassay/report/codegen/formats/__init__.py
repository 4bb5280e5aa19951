# SPDX-License-Identifier: GPL-2.0-only
"""Formats of a codegen answer: one module of this package each, with a constant FORMAT of this class."""

from typing import TYPE_CHECKING, NamedTuple

from kassay.errors import BadInput
from kassay.registry import discover
from kassay.report.form import Form, form_named

if TYPE_CHECKING:
    from kassay.model.codegen import CodegenReport

CODEGEN_FORMATS = "kassay.report.codegen.formats"


class CodegenAnswer(NamedTuple):
    """What is written down. classes: the two whose code is to stand side by side, where two were asked for."""

    report: "CodegenReport"
    classes: tuple[str, str] | None = None


class CodegenFormat(Form[CodegenAnswer]):
    """A way to write a codegen answer down."""


def codegen_format(name: str) -> CodegenFormat:
    """Raises BadInput that lists the formats."""
    return form_named(CODEGEN_FORMATS, name, CodegenFormat)


def of_suffix(suffix: str) -> CodegenFormat:
    """Raises BadInput that lists the suffixes."""
    forms = discover(CODEGEN_FORMATS, "FORMAT", CodegenFormat)
    for form in forms.values():
        if form.suffix == suffix:
            return form
    raise BadInput(f"--out: no format for a file that ends in {suffix!r}", f"known: {', '.join(suffixes())}")


def suffixes() -> tuple[str, ...]:
    """Of the files that can be written."""
    return tuple(form.suffix for form in discover(CODEGEN_FORMATS, "FORMAT", CodegenFormat).values())
