# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay ci`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kassay.commands import _complete as complete
from kassay.commands._options import Fresh, format_option
from kassay.commands._with_options import option
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

LIMITS = ".kassay/limits.toml"
"""Path in the tree."""


@dataclass(frozen=True, kw_only=True)
class Gating:
    """Options: the tree, the suite, and what fails."""

    tree: Path | None = option(None, "DIR", "Kernel git tree of the range.", show_default="the current directory")
    suite: str = option("mm", "NAME", "Suite that is run.", autocompletion=complete.suites)
    fail_over: str = option("0.5 %", "PERCENT", "Fail if a phase costs more than this.", "--fail-over")
    limits: Path | None = option(
        None, "FILE", "Limits of single cells, each with its reason.", show_default=f"{LIMITS} of HEAD"
    )
    budget: str = option(
        "10m",
        "TIME",
        "Time after which no further cell is measured, e.g. 90s, 10m, 1h. What is left has rows of its own.",
    )
    build: str = option(
        "",
        "OPTIONS",
        "How both kernels are built, as in a build reference: cc=gcc-14,config=distro.",
        show_default="gcc and the lab configuration",
    )
    arch: str = option("x86_64", "ARCH", f"Architecture: {listed(arches())}.", autocompletion=complete.arches)
    allow_refused: list[str] | None = option(
        None, "WORKLOAD", "This workload may have no verdict. May be repeated.", "--allow-refused", show_default=False
    )
    out: Path | None = option(
        None,
        "DIR",
        "Directory for the answer and its runs. The same command again continues there.",
        show_default="kassay-out/ci-NAME, named by the question",
    )
    fresh: Fresh = False
    format_: Annotated[
        str, format_option(answer_formats("summary", "junit", "annotations", "metrics"))
    ] = "terminal"  # fmt: skip
