# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay codegen`, as one record."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from kassay.commands._options import ClusterOption, format_option
from kassay.commands._with_options import option
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

_compilers = partial(option, rich_help_panel="Compilers")
_executed = partial(option, rich_help_panel="Executed")


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """Options: the source of the code, the profile that counts its executions, and the form of the answer."""

    source: str | None = _compilers(None, "FILE.c", "Compile only this source file of each REF.")
    cc: str | None = _compilers(
        None, "CC,...", "Compilers to use with --source, e.g. gcc-12,clang-16.", show_default="each REF's own"
    )
    arch: str = _compilers("x86_64", "ARCH", f"Architecture: {listed(arches())}.")
    flavour: str = _compilers("cloud", "NAME", "Flavour of archive kernels.")
    runs: Path | None = _executed(None, "DIR", "Directory of runs whose executions are counted.")
    measure: str | None = _executed(None, "WORKLOAD", "Measure every REF with this workload, and count executions.")
    set_: list[str] | None = _executed(
        None, "NAME=VALUE", "Set a parameter of --measure, or choose among the settings in --runs.", "--set"
    )
    cluster: ClusterOption = ""
    metric: str | None = _executed(None, "NAME", "Phase whose executions are counted.", show_default="the primary one")
    show: str | None = option(None, "A,B", "Disassemble two classes of code side by side.")
    out: Path | None = option(None, "FILE", "File to write. Its suffix chooses the form, for example answer.html.")
    format_: Annotated[str, format_option(answer_formats())] = "terminal"
