# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay profile`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.registry import names


@dataclass(frozen=True, kw_only=True)
class Profiling:
    """Which profiles are shown, and in which form."""

    kernel: Annotated[str | None, Option(help="Show this kernel alone.")] = None
    base: Annotated[str | None, Option(help="The kernel to compare with.", show_default="the first")] = None
    head: Annotated[str | None, Option(help="The kernel in question.", show_default="the last")] = None
    metric: Annotated[str | None, Option(help="Which phase.", show_default="the primary one")] = None
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of several settings that with this value; NAME may be cpus, memory.",
            show_default="the first",
        ),
    ] = None
    cost: Annotated[
        str, Option(metavar="NAME", help=f"What a function is weighed by: {' or '.join(names('kassay.costs'))}.")
    ] = "instructions"
    fold: Annotated[bool, Option("--fold", help="Merge .isra, .part, .constprop and .cold copies.")] = False
    top: Annotated[int, Option(min=0, help="How many functions; 0 shows all, unchanged ones too.")] = 20
    context: Annotated[
        str | None, Option(help="Only functions of one context: user, kernel, interrupt, other, idle.")
    ] = None
    export: Annotated[
        str | None,
        Option(metavar="NAME", help="Write one kernel's profile for a viewer: callgrind, folded, speedscope."),
    ] = None
    out: Annotated[Path | None, Option(help="File of --export.", show_default="standard output")] = None
    coverage: Annotated[
        list[Path] | None, Option(metavar="FILE.c", help="Which functions of a kernel source file were executed.")
    ] = None
    lines: Annotated[
        Path | None, Option(metavar="VMLINUX", help="Source lines of --kernel, from the DWARF of its vmlinux.")
    ] = None
