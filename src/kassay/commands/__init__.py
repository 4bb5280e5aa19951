# SPDX-License-Identifier: GPL-2.0-only
"""The commands: each is a module with a constant COMMAND, in this package or in the commands of a laboratory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import typer

from kassay.registry import load, names

_LABORATORIES = Path(__file__).parents[1] / "labs"


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command."""

    name: str
    order: int
    """Its position in the help."""
    run: Callable[..., int] | typer.Typer
    """A function for typer that returns the exit status, or an app of sub-commands."""


def command_packages() -> Mapping[str, str]:
    """Name of each command, and the package that its module is in. Imports none of them."""
    labs = sorted(path.parent.name for path in _LABORATORIES.glob("*/commands"))
    packages = (__name__, *(f"kassay.labs.{lab}.commands" for lab in labs))
    return MappingProxyType({name: package for package in packages for name in names(package)})


def command_named(name: str) -> Command:
    """The command of that name; imports its module."""
    return load(command_packages()[name], name, "COMMAND", Command)
