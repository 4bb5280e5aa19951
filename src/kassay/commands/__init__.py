# SPDX-License-Identifier: GPL-2.0-only
"""The commands: each is a module with a constant COMMAND, in this package or in the commands of a laboratory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import typer
from typer._click.globals import get_current_context

from kassay.errors import BadInput
from kassay.registry import load, names
from kassay.report.answer_form import Given

_LABORATORIES = Path(__file__).parents[1] / "labs"
_MAY_BE_EMPTY = "WORDS"
"""Placeholder of values that may be empty, as in --cmdline "$MORE"."""


class Again(NamedTuple):
    """The words of `kassay report` for an answer that a command keeps."""

    directory: Path
    format_: str
    given: Given
    """Options of the format."""
    exit_code: bool
    allowed: tuple[str, ...]
    """Workloads that may have no verdict."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command."""

    name: str
    order: int
    """Position of the command in the help."""
    run: Callable[..., int] | typer.Typer
    """A function for typer that returns the exit status, or an app of sub-commands."""
    show: Callable[[Again], int] | None = None
    """Shows the answer that the command keeps as NAME.json in a directory, and returns the exit status."""
    keeps_cache: bool = True
    """True if nothing of the cache may be freed while the command runs."""


@cache
def command_packages() -> Mapping[str, str]:
    """Name of each command, and the package that its module is in. Imports none of them.

    Raises BadInput when two packages have a command of one name.
    """
    found: dict[str, str] = {}
    labs = sorted(path.parent.name for path in _LABORATORIES.glob("*/commands"))
    for package in (__name__, *(f"kassay.labs.{lab}.commands" for lab in labs)):
        for name in names(package):
            if name in found:
                raise BadInput(
                    f"commands/{name}.py: {package} has the command {name} already", "give the file another name"
                )
            found[name] = package
    return MappingProxyType(found)


def command_named(name: str) -> Command:
    """The command of that name; imports its module."""
    return load(command_packages()[name], name, "COMMAND", Command)


def given() -> Iterator[tuple[Any, object]]:
    """(parameter, value) of all that the present command got on the command line; nothing outside of a command."""
    context = get_current_context(silent=True)
    if context is None:
        return
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is not None and source.name == "COMMANDLINE":
            yield parameter, context.params[str(parameter.name)]


def refuse_empty_values() -> None:
    """Raises BadInput for a word of the present command line that names nothing ("" or ","), and would do nothing."""
    for parameter, value in given():
        texts = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
        empty = [text for text in texts if isinstance(text, str) and not text.strip(", ")]
        if empty and parameter.metavar != _MAY_BE_EMPTY:
            is_option = parameter.opts[0].startswith("-")
            name = parameter.opts[0] if is_option else parameter.metavar or parameter.opts[0].upper()
            what = "the option" if is_option else "it"
            raise BadInput(f"{name} {empty[0]!r}: no value", f"give one, or leave {what} out")
