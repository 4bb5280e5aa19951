# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay notice`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.arches import arches
from kassay.clocks import listed
from kassay.commands import _complete as complete
from kassay.commands._options import ClusterOption
from kassay.registry import names
from kassay.report.notice import NOTICE_FORMATS

_R = "Runs of the applications"


@dataclass(frozen=True, kw_only=True)
class Noticing:
    """Which applications the answer is about, and how they are measured if there are no runs of them."""

    apps: Annotated[
        str,
        Option(
            "--apps", metavar="NAME,...", help="Only these applications, or other workloads.",
            show_default="the suite's", autocompletion=complete.workloads,
        ),
    ] = ""  # fmt: skip
    suite: Annotated[
        str,
        Option(
            metavar="NAME",
            help="The suite of applications.",
            show_default="apps; with --runs what is there",
            autocompletion=complete.suites,
        ),
    ] = ""
    runs: Annotated[
        list[Path] | None,
        Option(
            "--runs", metavar="DIR", help="Runs of applications on these kernels that are there; only what they lack "
            "is measured. May be given again.",
        ),
    ] = None  # fmt: skip
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Of several findings that with this value; NAME may be workload.",
               show_default="the largest change"),
    ] = None  # fmt: skip
    measure: Annotated[
        bool,
        Option("--measure/--no-measure", help="Measure applications that there are no runs of.", rich_help_panel=_R),
    ] = True
    sizes: Annotated[
        bool,
        Option("--sizes/--no-sizes", help="Record how large the calls of those are that execute the functions, in one "
               "further run on this host, which never counts.", rich_help_panel=_R),
    ] = True  # fmt: skip
    rounds: Annotated[int, Option(min=1, help="Executions in each run.", rich_help_panel=_R)] = 2
    repeats: Annotated[int, Option(min=1, help="Plain runs per kernel.", rich_help_panel=_R)] = 2
    perturb: Annotated[int, Option(min=0, help="Runs per kernel with things moved.", rich_help_panel=_R)] = 0
    boot: Annotated[str, Option(help="short, stock or snapshot.", show_default="as a suite's", rich_help_panel=_R)] = ""
    memory: Annotated[str, Option(help="Memory, e.g. 2GiB.", show_default="what they need", rich_help_panel=_R)] = ""
    arch: Annotated[str, Option(help=f"{listed(arches())}.", autocompletion=complete.arches, rich_help_panel=_R)] = (
        "x86_64"
    )
    predict: Annotated[
        str, Option(metavar="CPU[,CPU]", help="Also what it costs in time there.", rich_help_panel=_R)
    ] = ""
    timeout: Annotated[
        int | None, Option(help="Seconds of wall time a run may take.", show_default="900", rich_help_panel=_R)
    ] = None
    out: Annotated[
        Path | None,
        Option(help="Directory of the runs; the same command again resumes it.", show_default="by content",
               rich_help_panel=_R),
    ] = None  # fmt: skip
    fresh: Annotated[bool, Option("--fresh", help="Measure anew.", rich_help_panel=_R)] = False
    cluster: ClusterOption = ""
    format_: Annotated[str, Option("--format", help=f"{listed(names(NOTICE_FORMATS))}.")] = "terminal"
