# SPDX-License-Identifier: GPL-2.0-only
"""kassay predict: what a finished directory's kernels should cost in time on other CPUs; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import FORMATS_HELP
from kassay.commands._show import say_answer, showing
from kassay.report.formats import format_named


def _predict(
    directory: Annotated[Path, Argument(metavar="DIR", help="Made with --predict: its runs recorded traces.")],
    cpu: Annotated[
        str,
        Option(
            metavar="CPU|FILE[,..]", help="CPUs, or timing files, in place of those the directory was made for.",
            autocompletion=complete.timings, show_default=False,
        ),
    ] = "",
    format_: Annotated[str, Option("--format", help=FORMATS_HELP, autocompletion=complete.formats)] = "terminal",
) -> int:  # fmt: skip
    """What the kernels of a finished directory should cost in time on these CPUs. Measures nothing.

    The runs must have recorded traces, as --predict of compare, ladder, gap, series and bisect has them do. What was
    predicted once is stored in the directory.

    Example: kassay predict kassay-out/demo --cpu zen3,skylake-sp
    """
    chosen = format_named(format_)
    from kassay import pipeline

    with showing() as tell:
        report = pipeline.answer(directory, tell, predict=tuple(filter(None, cpu.split(","))))
    say_answer(report, chosen)
    return 0


COMMAND = Command(name="predict", order=42, run=_predict)
