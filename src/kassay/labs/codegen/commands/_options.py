# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay codegen`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.commands._options import ClusterOption, format_option
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

_C = "Compilers"
_E = "Executed"


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """Options: the source of the code, the profile that counts its executions, and the form of the answer."""

    source: Annotated[
        str | None,
        Option(metavar="FILE.c", help="Compile only this source file of each REF.", rich_help_panel=_C),
    ] = None
    cc: Annotated[
        str | None,
        Option(
            metavar="CC,...",
            help="Compilers to use with --source, e.g. gcc-12,clang-16.",
            show_default="each REF's own",
            rich_help_panel=_C,
        ),
    ] = None
    arch: Annotated[str, Option(metavar="ARCH", help=f"Architecture: {listed(arches())}.", rich_help_panel=_C)] = (
        "x86_64"
    )
    flavour: Annotated[str, Option(metavar="NAME", help="Flavour of archive kernels.", rich_help_panel=_C)] = "cloud"
    runs: Annotated[
        Path | None, Option(metavar="DIR", help="Directory of runs whose executions are counted.", rich_help_panel=_E)
    ] = None
    measure: Annotated[
        str | None,
        Option(
            metavar="WORKLOAD", help="Measure every REF with this workload, and count executions.", rich_help_panel=_E
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set a parameter of --measure, or choose among the settings in --runs.",
            rich_help_panel=_E,
        ),
    ] = None
    cluster: ClusterOption = ""
    metric: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Phase whose executions are counted.",
            show_default="the primary one",
            rich_help_panel=_E,
        ),
    ] = None
    show: Annotated[str | None, Option(metavar="A,B", help="Disassemble two classes of code side by side.")] = None
    out: Annotated[
        Path | None, Option(metavar="FILE", help="File to write. Its suffix chooses the form, for example answer.html.")
    ] = None
    format_: Annotated[str, format_option(answer_formats())] = "terminal"
