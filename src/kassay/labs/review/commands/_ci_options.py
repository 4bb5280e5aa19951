# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay ci`, as one record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.commands import _complete as complete
from kassay.commands._options import Fresh, format_option
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

LIMITS = ".kassay/limits.toml"
"""Path in the tree."""


@dataclass(frozen=True, kw_only=True)
class Gating:
    """Options: the tree, the suite, and what fails."""

    tree: Annotated[
        Path | None, Option(metavar="DIR", help="Kernel git tree of the range.", show_default="the current directory")
    ] = None
    suite: Annotated[
        str, Option(metavar="NAME", help="Suite that is run.", autocompletion=complete.suites)
    ] = "mm"  # fmt: skip
    fail_over: Annotated[
        str, Option("--fail-over", metavar="PERCENT", help="Fail if a phase costs more than this.")
    ] = "0.5 %"  # fmt: skip
    limits: Annotated[
        Path | None,
        Option(metavar="FILE", help="Limits of single cells, each with its reason.", show_default=f"{LIMITS} of HEAD"),
    ] = None
    budget: Annotated[
        str,
        Option(metavar="TIME", help="Time after which no further cell is measured, e.g. 90s, 10m, 1h. What is left "
               "has rows of its own."),
    ] = "10m"  # fmt: skip
    build: Annotated[
        str,
        Option(metavar="OPTIONS", show_default="gcc and the lab configuration",
               help="How both kernels are built, as in a build reference: cc=gcc-14,config=distro."),
    ] = ""  # fmt: skip
    arch: Annotated[
        str, Option(metavar="ARCH", help=f"Architecture: {listed(arches())}.", autocompletion=complete.arches)
    ] = "x86_64"
    allow_refused: Annotated[
        list[str] | None,
        Option("--allow-refused", metavar="WORKLOAD", show_default=False,
               help="This workload may have no verdict. May be repeated."),
    ] = None  # fmt: skip
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Directory for the answer and its runs. The same command again continues there.",
               show_default="kassay-out/ci-NAME, named by the question"),
    ] = None  # fmt: skip
    fresh: Fresh = False
    format_: Annotated[
        str, format_option(answer_formats("summary", "junit", "annotations", "metrics"))
    ] = "terminal"  # fmt: skip
