# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay review`, as one record."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.commands import _complete as complete
from kassay.commands._options import Fresh, format_option
from kassay.errors import BadInput
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

_BUDGET = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_B = "Base"
_W = "What is measured"


@dataclass(frozen=True, kw_only=True)
class Reviewing:
    """Options: where the series belongs, and how much is measured."""

    base: Annotated[
        str,
        Option(
            metavar="REF", rich_help_panel=_B, show_default="found by itself",
            help="Sources without the series: build:TREE@REV or build:debian-source:7.3.",
        ),
    ] = ""  # fmt: skip
    tree: Annotated[
        Path | None,
        Option(
            metavar="DIR", rich_help_panel=_B, show_default="the current directory, if it is one",
            help="Kernel git tree in which the base is looked for, and that a range BASE..HEAD is of.",
        ),
    ] = None  # fmt: skip
    build: Annotated[
        str,
        Option(
            metavar="OPTIONS", rich_help_panel=_B, show_default="gcc and the lab configuration",
            help="How both kernels are built, as in a build reference: cc=gcc-14,config=distro.",
        ),
    ] = ""  # fmt: skip
    budget: Annotated[
        str,
        Option(metavar="TIME", rich_help_panel=_W, help="Time after which no further step is begun, e.g. 90s, 20m, 2h. "
               "What is left is listed, and the same command goes on with it."),
    ] = "20m"  # fmt: skip
    plan: Annotated[
        bool,
        Option("--plan", rich_help_panel=_W, help="Show what would be downloaded, built and run, and do none of it."),
    ] = False
    settings: Annotated[
        int,
        Option(min=1, max=200, metavar="N", rich_help_panel=_W,
               help="Measure at most N settings of those that execute the changed functions."),
    ] = 12  # fmt: skip
    corner: Annotated[
        list[str] | None,
        Option(
            metavar="cc=NAME|config=NAME|arch=NAME", rich_help_panel=_W, show_default=False,
            help="Measure the largest gain and loss with another compiler, configuration or architecture, too. "
            "config=lab+CONFIG_X=y changes one symbol. May be repeated.",
        ),
    ] = None  # fmt: skip
    corners: Annotated[
        bool,
        Option("--corners", rich_help_panel=_W, help="Measure all corners: compilers gcc-12 to gcc-15, clang-14 to "
               "clang-19, the distribution's configuration, single symbols, and arm64."),
    ] = False  # fmt: skip
    previous: Annotated[
        Path | None,
        Option(metavar="PATH", rich_help_panel=_W, show_default=False,
               help="An earlier version of the series: measure what changed between it and this one."),
    ] = None  # fmt: skip
    suite: Annotated[
        str,
        Option(metavar="NAME", rich_help_panel=_W, autocompletion=complete.suites,
               help="Suite that is run once where no workload is known to execute a changed function."),
    ] = "mm"  # fmt: skip
    predict: Annotated[
        str, Option(metavar="CPU[,CPU]", rich_help_panel=_W, help="Predict the cost in time on these CPUs, too.")
    ] = ""
    arch: Annotated[
        str,
        Option(metavar="ARCH", help=f"Architecture: {listed(arches())}.", autocompletion=complete.arches,
               rich_help_panel=_W),
    ] = "x86_64"  # fmt: skip
    check_claims: Annotated[
        Path | None,
        Option("--check-claims", metavar="FILE", show_default=False,
               help="Hold the figures that a changelog or a mail claims against the answer."),
    ] = None  # fmt: skip
    b4: Annotated[
        bool,
        Option("--b4", help="Write the verdict as `b4 review` reads it from a check command. SERIES is usually -."),
    ] = False
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Directory for the answer and its runs. The same command again continues there.",
               show_default="kassay-out/review-NAME, named by the question"),
    ] = None  # fmt: skip
    fresh: Fresh = False
    exit_code: Annotated[
        bool,
        Option("--exit-code", help="Exit 1 if a setting is a regression, else 4 if changed lines were not executed or "
               "a setting has no verdict."),
    ] = False  # fmt: skip
    format_: Annotated[str, format_option(answer_formats("changelog"))] = "terminal"


def seconds(budget: str) -> float:
    """Seconds of "90s", "20m" or "2h". Raises BadInput."""
    match = _BUDGET.fullmatch(budget)
    if match is None:
        raise BadInput(f"--budget {budget!r}: not a time", "write 90s, 20m or 2h")
    return float(match[1]) * _SECONDS[match[2]]


def given_words(options: object, names: Sequence[str]) -> list[str]:
    """The words of the options with these names that do not have their default, to repeat a command."""
    usual = type(options)()
    given = {name: getattr(options, name) for name in names if getattr(options, name) != getattr(usual, name)}
    return [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
