# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay bisect`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

_PANEL = "Search"


@dataclass(frozen=True, kw_only=True)
class Searching:
    """The options of a search, without those of its measurements."""

    good: Annotated[
        str,
        Option(help="A kernel without the change, e.g. debian:6.12 or build:TREE@v6.12.", rich_help_panel=_PANEL),
    ] = ""
    bad: Annotated[
        str, Option(help="A later one that has it: of the same kind, tree and build options.", rich_help_panel=_PANEL)
    ] = ""
    every: Annotated[
        str, Option(help="Of the archive: every version, or the newest of every series.", rich_help_panel=_PANEL)
    ] = "version"
    steps: Annotated[
        str, Option(help="all: every change in the range. largest: that one alone.", rich_help_panel=_PANEL)
    ] = "all"
    error_rate: Annotated[
        float,
        Option(help="Where time is measured: how often the culprit may be a wrong one.", rich_help_panel=_PANEL),
    ] = 0.01
    one_step: Annotated[
        bool,
        Option(
            "--step",
            help="For `git bisect run`: measure --head alone; exit 0 good, 1 bad, 125 skip, 128 and more: stop.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    head: Annotated[
        str, Option(help="With --step: the kernel in question; the working tree.", rich_help_panel=_PANEL)
    ] = "build:."
    replay: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Decide everything in DIR again, from its log alone; measure nothing.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
