# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay notice`, as one record."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from kassay.commands import _complete as complete
from kassay.commands._options import ClusterOption, format_option
from kassay.commands._with_options import option
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

_runs = partial(option, rich_help_panel="Runs of the applications")


@dataclass(frozen=True, kw_only=True)
class Noticing:
    """Options: the applications to ask, and how to measure them if they have no runs yet."""

    apps: str = option(
        "",
        "NAME,...",
        "Ask only these applications. Other workloads may be named, too.",
        "--apps",
        show_default="the suite's",
        autocompletion=complete.workloads,
    )
    suite: str = option(
        "",
        "NAME",
        "Suite of applications to ask.",
        show_default="apps; with --runs what is there",
        autocompletion=complete.suites,
    )
    runs: list[Path] | None = option(
        None,
        "DIR",
        "Directory with runs of applications on these kernels. kassay measures only "
        "what is missing there. May be repeated.",
        "--runs",
    )
    set_: list[str] | None = option(
        None,
        "NAME=VALUE",
        "Choose among several findings. NAME is a parameter or workload.",
        "--set",
        show_default="the largest change",
    )
    atlas: bool = _runs(
        True,
        "",
        "Answer from stored function costs of these kernels where these decide the answer. "
        "--no-atlas measures, which also shows system calls and the sizes of calls.",
        "--atlas/--no-atlas",
    )
    measure: bool = _runs(True, "", "Measure applications that have no answer yet.", "--measure/--no-measure")
    sizes: bool = _runs(
        True,
        "",
        "Record the call sizes of the affected applications. Takes one extra run "
        "on this host; its counts are not used.",
        "--sizes/--no-sizes",
    )
    rounds: int = _runs(2, "N", "Number of executions in each run.", min=1)
    repeats: int = _runs(2, "N", "Number of plain runs of each kernel.", min=1)
    perturb: int = _runs(0, "N", "Number of perturbed runs of each kernel.", min=0)
    boot: str = _runs("", "KIND", "How kernels boot: short, stock or snapshot.", show_default="as for a suite")
    memory: str = _runs("", "SIZE", "Memory of the machine, e.g. 2GiB.", show_default="what they need")
    arch: str = _runs("x86_64", "ARCH", f"Architecture: {listed(arches())}.", autocompletion=complete.arches)
    predict: str = _runs("", "CPU[,CPU]", "Predict the cost in time on these CPUs, too.")
    timeout: int | None = _runs(
        None, "SECONDS", "Wall time after which a run is stopped and fails.", show_default="900"
    )
    out: Path | None = _runs(
        None,
        "DIR",
        "Directory for the runs. The same command again continues there.",
        show_default="kassay-out/NAME, named by the question",
    )
    fresh: bool = _runs(False, "", "Measure again, in a new directory.", "--fresh")
    cluster: ClusterOption = ""
    format_: Annotated[str, format_option(answer_formats())] = "terminal"
