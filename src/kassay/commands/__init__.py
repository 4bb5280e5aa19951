# SPDX-License-Identifier: GPL-2.0-only
"""What a command is: one module of this package with a constant COMMAND of this class."""

from collections.abc import Callable
from dataclasses import dataclass

import typer


@dataclass(frozen=True, kw_only=True)
class Command:
    """One verb. run: a function that typer can read, whose result is the exit status, or an app of sub-commands."""

    name: str
    order: int
    run: Callable[..., int] | typer.Typer
