# SPDX-License-Identifier: GPL-2.0-only
"""The class of a command. Each command is a module of this package with a constant COMMAND."""

from collections.abc import Callable
from dataclasses import dataclass

import typer


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command. order: position in the help. run: a function for typer that returns the exit status, or an app of
    sub-commands."""

    name: str
    order: int
    run: Callable[..., int] | typer.Typer
