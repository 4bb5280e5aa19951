# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay profile`, as one record."""

from dataclasses import dataclass
from pathlib import Path

from kassay.commands._with_options import option
from kassay.model.contexts import CONTEXTS
from kassay.registry import names
from kassay.report.answers import answer_formats


@dataclass(frozen=True, kw_only=True)
class Profiling:
    """Options: the profiles to show, and their form."""

    kernel: str | None = option(None, "KERNEL", "Show only this kernel.")
    base: str | None = option(None, "KERNEL", "Kernel to compare with.", show_default="the first")
    head: str | None = option(None, "KERNEL", "Kernel that is compared with --base.", show_default="the last")
    metric: str | None = option(None, "NAME", "Phase to show.", show_default="the primary one")
    set_: list[str] | None = option(
        None,
        "NAME=VALUE",
        "Choose among several settings. NAME is a parameter, cpus or memory.",
        "--set",
        show_default="the first",
    )
    cost: str = option("instructions", "NAME", f"Cost of a function: {' or '.join(names('kassay.model.costs'))}.")
    fold: bool = option(False, "", "Add .isra, .part, .constprop and .cold copies to their function.", "--fold")
    top: int = option(20, "N", "Number of functions to show. 0 shows all, unchanged ones included.", min=0)
    context: str | None = option(
        None, "NAME", f"Show only functions of one context: {', '.join(CONTEXTS)}. docs/explained/profile.md"
    )
    export: str | None = option(
        None, "NAME", "Write the profile of one kernel for a viewer: callgrind, folded or speedscope."
    )
    out: Path | None = option(None, "FILE", "File for --export.", show_default="standard output")
    coverage: list[Path] | None = option(
        None, "FILE.c", "List which functions of this kernel source file were executed. May be repeated."
    )
    branches: str | None = option(
        None, "FUNCTION", "Show how often each branch of a function went each way, and how often its loops iterated."
    )
    format_: str = option("terminal", "FORMAT", f"Form of --branches: {', '.join(answer_formats())}.", "--format")
    lines: Path | None = option(
        None, "VMLINUX", "Show source lines of --kernel. VMLINUX is the file with its debug information."
    )
    debug_symbols: bool = option(
        False,
        "",
        "Source lines of --kernel: as its run kept them if kassay built it, else from its debug package.",
        "--debug-symbols",
    )
