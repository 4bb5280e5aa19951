# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay notice`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.commands import _complete as complete
from kassay.commands._options import ClusterOption, format_option
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

_R = "Runs of the applications"


@dataclass(frozen=True, kw_only=True)
class Noticing:
    """Options: the applications to ask, and how to measure them if they have no runs yet."""

    apps: Annotated[
        str,
        Option(
            "--apps", metavar="NAME,...", help="Ask only these applications. Other workloads may be named, too.",
            show_default="the suite's", autocompletion=complete.workloads,
        ),
    ] = ""  # fmt: skip
    suite: Annotated[
        str,
        Option(
            metavar="NAME",
            help="Suite of applications to ask.",
            show_default="apps; with --runs what is there",
            autocompletion=complete.suites,
        ),
    ] = ""
    runs: Annotated[
        list[Path] | None,
        Option(
            "--runs", metavar="DIR", help="Directory with runs of applications on these kernels. kassay measures only "
            "what is missing there. May be repeated.",
        ),
    ] = None  # fmt: skip
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Choose among several findings. NAME is a parameter or workload.",
               show_default="the largest change"),
    ] = None  # fmt: skip
    atlas: Annotated[
        bool,
        Option("--atlas/--no-atlas", help="Answer from stored function costs of these kernels where they decide. "
               "--no-atlas measures, which also shows system calls and the sizes of calls.", rich_help_panel=_R),
    ] = True  # fmt: skip
    measure: Annotated[
        bool,
        Option("--measure/--no-measure", help="Measure applications that have no answer yet.", rich_help_panel=_R),
    ] = True
    sizes: Annotated[
        bool,
        Option("--sizes/--no-sizes", help="Record the call sizes of the affected applications. Takes one extra run "
               "on this host; its counts are not used.", rich_help_panel=_R),
    ] = True  # fmt: skip
    rounds: Annotated[int, Option(min=1, metavar="N", help="Number of executions in each run.", rich_help_panel=_R)] = 2
    repeats: Annotated[
        int, Option(min=1, metavar="N", help="Number of plain runs of each kernel.", rich_help_panel=_R)
    ] = 2
    perturb: Annotated[
        int, Option(min=0, metavar="N", help="Number of perturbed runs of each kernel.", rich_help_panel=_R)
    ] = 0
    boot: Annotated[
        str,
        Option(
            metavar="KIND",
            help="How kernels boot: short, stock or snapshot.",
            show_default="as for a suite",
            rich_help_panel=_R,
        ),
    ] = ""
    memory: Annotated[
        str,
        Option(
            metavar="SIZE", help="Memory of the machine, e.g. 2GiB.", show_default="what they need", rich_help_panel=_R
        ),
    ] = ""
    arch: Annotated[
        str,
        Option(
            metavar="ARCH",
            help=f"Architecture: {listed(arches())}.",
            autocompletion=complete.arches,
            rich_help_panel=_R,
        ),
    ] = "x86_64"
    predict: Annotated[
        str, Option(metavar="CPU[,CPU]", help="Predict the cost in time on these CPUs, too.", rich_help_panel=_R)
    ] = ""
    timeout: Annotated[
        int | None,
        Option(
            metavar="SECONDS",
            help="Wall time after which a run is stopped and fails.",
            show_default="900",
            rich_help_panel=_R,
        ),
    ] = None
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Directory for the runs. The same command again continues there.",
               show_default="kassay-out/NAME, named by the question",
               rich_help_panel=_R),
    ] = None  # fmt: skip
    fresh: Annotated[bool, Option("--fresh", help="Measure again, in a new directory.", rich_help_panel=_R)] = False
    cluster: ClusterOption = ""
    format_: Annotated[str, format_option(answer_formats())] = "terminal"
