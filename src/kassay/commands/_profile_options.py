# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay profile`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.registry import names
from kassay.report.answers import answer_formats


@dataclass(frozen=True, kw_only=True)
class Profiling:
    """Options: the profiles to show, and their form."""

    kernel: Annotated[str | None, Option(metavar="KERNEL", help="Show only this kernel.")] = None
    base: Annotated[str | None, Option(metavar="KERNEL", help="Kernel to compare with.", show_default="the first")] = (
        None
    )
    head: Annotated[
        str | None, Option(metavar="KERNEL", help="Kernel that is compared with --base.", show_default="the last")
    ] = None
    metric: Annotated[str | None, Option(metavar="NAME", help="Phase to show.", show_default="the primary one")] = None
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="Choose among several settings. NAME is a parameter, cpus or memory.",
            show_default="the first",
        ),
    ] = None
    cost: Annotated[
        str, Option(metavar="NAME", help=f"Cost of a function: {' or '.join(names('kassay.model.costs'))}.")
    ] = "instructions"
    fold: Annotated[bool, Option("--fold", help="Add .isra, .part, .constprop and .cold copies to their function.")] = (
        False
    )
    top: Annotated[
        int, Option(min=0, metavar="N", help="Number of functions to show. 0 shows all, unchanged ones included.")
    ] = 20
    context: Annotated[
        str | None,
        Option(metavar="NAME", help="Show only functions of one context: user, kernel, interrupt, other or idle."),
    ] = None
    export: Annotated[
        str | None,
        Option(metavar="NAME", help="Write the profile of one kernel for a viewer: callgrind, folded or speedscope."),
    ] = None
    out: Annotated[Path | None, Option(metavar="FILE", help="File for --export.", show_default="standard output")] = (
        None
    )
    coverage: Annotated[
        list[Path] | None,
        Option(
            metavar="FILE.c", help="List which functions of this kernel source file were executed. May be repeated."
        ),
    ] = None
    branches: Annotated[
        str | None,
        Option(
            metavar="FUNCTION",
            help="Show how often each branch of a function went each way, and how often its loops iterated.",
        ),
    ] = None
    format_: Annotated[
        str,
        Option(
            "--format",
            metavar="FORMAT",
            help=f"Form of --branches: {', '.join(answer_formats())}.",
        ),
    ] = "terminal"
    lines: Annotated[
        Path | None,
        Option(
            metavar="VMLINUX", help="Show source lines of --kernel. VMLINUX is the file with its debug information."
        ),
    ] = None
    debug_symbols: Annotated[
        bool,
        Option(
            "--debug-symbols",
            help="Source lines of --kernel: as its run kept them if kassay built it, else from its debug package.",
        ),
    ] = False
