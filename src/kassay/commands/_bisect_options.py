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
        Option(
            metavar="KERNEL",
            help="Kernel without the change, e.g. debian:6.12 or build:TREE@v6.12.",
            rich_help_panel=_PANEL,
        ),
    ] = ""
    bad: Annotated[
        str,
        Option(
            metavar="KERNEL",
            help="Later kernel with the change, from the same archive or tree, with the same build options.",
            rich_help_panel=_PANEL,
        ),
    ] = ""
    every: Annotated[
        str,
        Option(
            metavar="version|series",
            help="Archive kernels to consider: every version, or the newest version of each series.",
            rich_help_panel=_PANEL,
        ),
    ] = "version"
    steps: Annotated[
        str, Option(metavar="all|largest", help="Changes to find: all of them, or the largest.", rich_help_panel=_PANEL)
    ] = "all"
    error_rate: Annotated[
        float,
        Option(
            metavar="SHARE",
            help="Accepted probability that the named commit is wrong. Only where time is measured.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.01
    one_step: Annotated[
        bool,
        Option(
            "--step",
            help="Measure --head only, for `git bisect run`. The exit status is 0 for good, 1 for bad, 125 for skip, "
            "and 128 or more to stop.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    head: Annotated[
        str,
        Option(
            metavar="KERNEL",
            help="Kernel to measure with --step. The default is the tree in the current directory.",
            rich_help_panel=_PANEL,
        ),
    ] = "build:."
    replay: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Repeat the decisions of the search in DIR from its log. Measures nothing.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
