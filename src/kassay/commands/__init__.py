# SPDX-License-Identifier: GPL-2.0-only
"""The commands: each is a module with a constant COMMAND, in this package or in the commands of a laboratory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import typer

from kassay.errors import BadInput
from kassay.registry import load, names
from kassay.report.answer_form import Given

_LABORATORIES = Path(__file__).parents[1] / "labs"


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
