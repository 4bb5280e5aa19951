# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay codegen`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.arches import arches
from kassay.clocks import listed
from kassay.commands._options import ClusterOption
from kassay.registry import names
from kassay.report.codegen import CODEGEN_FORMATS, suffixes

_C = "Compilers"
_E = "Executed"


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """Where the code comes from, what counts its executions, and how the answer is written."""

    source: Annotated[
        str | None,
        Option(metavar="FILE.c", help="Build this one object of each REF, not the kernel.", rich_help_panel=_C),
    ] = None
    cc: Annotated[
        str | None,
        Option(help="Compilers for --source: gcc-12,clang-16.", show_default="each REF's own", rich_help_panel=_C),
    ] = None
    arch: Annotated[str, Option(help=f"{listed(arches())}.", rich_help_panel=_C)] = "x86_64"
    flavour: Annotated[str, Option(help="Of archive kernels.", rich_help_panel=_C)] = "cloud"
    runs: Annotated[
        Path | None, Option(metavar="DIR", help="Count executions out of these runs.", rich_help_panel=_E)
    ] = None
    measure: Annotated[
        str | None,
        Option(metavar="WORKLOAD", help="Measure all REFs with this workload first.", rich_help_panel=_E),
    ] = None
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="A parameter of WORKLOAD, or which of DIR's.", rich_help_panel=_E),
    ] = None
    cluster: ClusterOption = ""
    metric: Annotated[
        str | None, Option(help="Per operation of which phase.", show_default="the primary one", rich_help_panel=_E)
    ] = None
    show: Annotated[str | None, Option(metavar="A,B", help="Disassemble two classes side by side.")] = None
    out: Annotated[Path | None, Option(metavar="FILE", help=f"Write it to a file: {listed(suffixes())}.")] = None
    format_: Annotated[str, Option("--format", help=f"{listed(names(CODEGEN_FORMATS))}.")] = "terminal"
