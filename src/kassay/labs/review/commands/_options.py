# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay review`, as one record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from kassay.commands import _complete as complete
from kassay.commands._options import Fresh, format_option
from kassay.commands._with_options import option
from kassay.errors import BadInput
from kassay.model.units import parse_duration
from kassay.report.answers import answer_formats
from kassay.supply.arches import arches
from kassay.supply.clocks import listed

_base = partial(option, rich_help_panel="Base")
_measured = partial(option, rich_help_panel="What is measured")


@dataclass(frozen=True, kw_only=True)
class Reviewing:
    """Options: where the series belongs, and how much is measured."""

    base: str = _base(
        "",
        "REF",
        "Sources without the series: build:TREE@REV or build:debian-source:7.3.",
        show_default="found by itself",
    )
    tree: Path | None = _base(
        None,
        "DIR",
        "Kernel git tree to search for the base. A range BASE..HEAD is one of this tree.",
        show_default="the current directory, if it is one",
    )
    build: str = _base(
        "",
        "OPTIONS",
        "How both kernels are built, as in a build reference: cc=gcc-14,config=distro.",
        show_default="gcc and the lab configuration",
    )
    budget: str = _measured(
        "20m",
        "TIME",
        "Time after which no further step is begun, e.g. 90s, 20m, 2h. "
        "What is left is listed, and the same command goes on with it.",
    )
    plan: bool = _measured(False, "", "Show what would be downloaded, built and run. Build and run nothing.", "--plan")
    settings: int = _measured(12, "N", "Measure at most N settings.", min=1, max=200)
    corner: list[str] | None = _measured(
        None,
        "cc=NAME|config=NAME|arch=NAME",
        "Measure the largest gain and loss with another compiler, configuration or architecture, too. "
        "config=lab+CONFIG_X=y changes one symbol, arch=arm64,cc=gcc-13 both parts. May be repeated.",
        show_default=False,
    )
    corners: bool = _measured(
        False,
        "",
        "Measure all corners: compilers gcc-12 to gcc-15, clang-16 to "
        "clang-19, the distribution's configuration, single symbols, and arm64.",
        "--corners",
    )
    previous: str = _measured(
        "", "SERIES", "An earlier version of the series: measure what changed between it and this one."
    )
    suite: str = _measured(
        "mm",
        "NAME",
        "Suite that is run once where no workload is known to execute a changed function.",
        autocompletion=complete.suites,
    )
    predict: str = _measured("", "CPU[,CPU]|all", "Predict the cost in time on these CPUs, too.")
    arch: str = _measured("x86_64", "ARCH", f"Architecture: {listed(arches())}.", autocompletion=complete.arches)
    check_claims: Path | None = option(
        None,
        "FILE",
        "Hold the figures that a changelog or a mail claims against the answer.",
        "--check-claims",
        show_default=False,
    )
    b4: bool = option(
        False, "", "Write the verdict as `b4 review` reads it from a check command. SERIES is usually -.", "--b4"
    )
    out: Path | None = option(
        None,
        "DIR",
        "Directory for the answer and its runs. The same command again continues there.",
        show_default="kassay-out/review-NAME, named by the question",
    )
    fresh: Fresh = False
    exit_code: bool = option(
        False,
        "",
        "Exit 1 if a setting is a regression, else 4 if a changed function was not executed or a setting has no "
        "verdict.",
        "--exit-code",
    )
    format_: Annotated[str, format_option(answer_formats("changelog", "patchwork"))] = "terminal"


def seconds(budget: str) -> float:
    """Seconds of "90s", "20m" or "2h". Raises BadInput."""
    found = parse_duration(budget, "smh")
    if found is None:
        raise BadInput(f"--budget {budget!r}: not a time", "write 90s, 20m or 2h")
    return found


def given_words(options: object, names: Sequence[str]) -> list[str]:
    """The words of the options with these names that do not have their default, to repeat a command."""
    usual = type(options)()
    words: list[str] = []
    for name in names:
        value = getattr(options, name)
        if value == getattr(usual, name):
            continue
        option = f"--{name.replace('_', '-')}"
        each = value if isinstance(value, list) else [value]
        words += [word for one in each for word in ((option,) if one is True else (option, str(one)))]
    return words
