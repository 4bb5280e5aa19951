# SPDX-License-Identifier: GPL-2.0-only
"""Forms: ways to write an answer down, and the page templates.

This module must be fast to import, because `--help` reads it: what is needed to render is imported inside of render().
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from jinja2 import Template

    from kassay.errors import BadInput
    from kassay.report.columns import ScreenLine

A = TypeVar("A")
REPORT = "kassay.report"
Given = Mapping[str, Sequence[str]]
"""Options of a form as the user gave them: values by the option's name, such as {"--to": ("a@b.example",)}."""
NOTHING: Given = MappingProxyType({})
PEOPLE = "people"
"""Not an option: a sentence and then lines, each a person or a list to write to. A form that is addressed takes it."""


@dataclass(frozen=True, kw_only=True)
class FormOption:
    """An option that one form alone has."""

    name: str
    """Name as on the command line, "--to"."""
    metavar: str
    help: str
    many: bool = False
    """True if it may be given again."""


@dataclass(frozen=True, kw_only=True)
class Form(Generic[A]):
    """A way to write answers of type A."""

    name: str
    """Name as in --format, equal to the module's name."""
    suffix: str
    """Suffix of a file in this form, with its dot."""
    summary: str
    """One line for people."""
    render: Callable[..., str]
    """Function (answer) -> text, or (answer, given) for a form with options. It is pure, and the text ends with a
    newline."""
    screen: "Callable[[A], Iterable[ScreenLine]] | None" = None
    """Function that makes the same lines with their styles, for a form that is read at a terminal."""
    options: tuple[FormOption, ...] = ()
    addressed: bool = False
    """True if it names the people to write to."""
    whole: bool = True
    """True if it has the verdict word for word, and both states of a refused comparison."""
    page: str = ""
    """ "people" or "programs" if every directory of runs gets a file report.SUFFIX for these readers."""


@cache
def template(name: str, package: str = REPORT) -> "Template":
    """A page of a package's templates, which may include those of a report; "unbroken" keeps a percent sign with its
    number, a count of CPUs with its word."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    from kassay.model.texts import one_line

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(one) for one in dict.fromkeys((package, REPORT))]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["unbroken"] = lambda text: re.sub(r"(?<=\d) (?=%|CPU)", "\u00a0", text)
    environment.filters["line"] = one_line
    return environment.get_template(name)


def unknown_form(name: str, known: Iterable[str]) -> "BadInput":
    """The error for a form that is not there."""
    from kassay.errors import unknown

    return unknown("--format: unknown", name, known)
