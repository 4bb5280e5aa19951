# SPDX-License-Identifier: GPL-2.0-only
"""Formats of a codegen answer: one module of this package each, with a constant FORMAT of this class."""

from typing import TYPE_CHECKING, NamedTuple

from kassay.errors import BadInput
from kassay.registry import discover
from kassay.report.form import Form, form_named

if TYPE_CHECKING:
    from kassay.model.codegen import CodegenReport

CODEGEN_FORMATS = "kassay.report.codegen"


class CodegenAnswer(NamedTuple):
    """What a format writes. classes: the two to be shown side by side, where the user named two."""

    report: "CodegenReport"
    classes: tuple[str, str] | None = None


class CodegenFormat(Form[CodegenAnswer]):
    """A way to write a codegen answer down."""


def codegen_format(name: str) -> CodegenFormat:
    """Raises BadInput that lists the formats."""
    return form_named(CODEGEN_FORMATS, name, CodegenFormat)


def disclosures(*, image: bool, counted: bool) -> tuple[str, ...]:
    """How far the answer reaches. image: of code of kernel images; counted: with how often it was executed."""
    return (*_NORMALISED, *(_IMAGE if image else ()), *(_EXECUTED if counted else ()))


def of_suffix(suffix: str) -> CodegenFormat:
    """Raises BadInput that lists the suffixes."""
    forms = discover(CODEGEN_FORMATS, "FORMAT", CodegenFormat)
    for form in forms.values():
        if form.suffix == suffix:
            return form
    raise BadInput(f"--out: no format for a file that ends in {suffix!r}", f"known: {', '.join(suffixes())}")


def suffixes() -> tuple[str, ...]:
    """Of the files that the formats write."""
    return tuple(form.suffix for form in discover(CODEGEN_FORMATS, "FORMAT", CodegenFormat).values())


_NORMALISED = (
    "A class is equal machine code: names stand for addresses and relocated fields, numbered labels for places "
    "jumped to; no-ops and traps that align or part code, and the tracer's call at the entry, are left out.",
    "bytes: whether the raw bytes are those of the class's first row as well, no-ops included, fields that "
    "hold addresses outside of the function zeroed.",
    "Code that the kernel patches in at boot (alternatives, static calls) is compared as it was compiled; a "
    "static branch is named with its key.",
)
_IMAGE = (
    "An image has no relocations: a number that lies inside the kernel is taken for an address, and constants "
    "without a symbol are called data unless they are text.",
    "An image's sizes end with the last instruction; a trap behind it counts as padding.",
)
_EXECUTED = (
    "Executed is counted in the booted kernel, no-ops and patched code included; an instruction is not a nanosecond.",
)
