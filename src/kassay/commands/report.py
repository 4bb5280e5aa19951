# SPDX-License-Identifier: GPL-2.0-only
"""kassay report: answer again, in another form; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay import pipeline
from kassay.commands._answer import format_named, status
from kassay.commands._command import Command
from kassay.commands._show import say_answer, showing


def _report(
    directory: Annotated[Path, Argument(metavar="DIR", help="A directory that run, compare or ladder made.")],
    format_: Annotated[str, Option("--format", help="terminal, markdown, json or html.")] = "terminal",
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 on a regression, 4 without a verdict.")] = False,
) -> int:
    """Answer again from a finished or interrupted directory, in another form."""
    chosen = format_named(format_)
    with showing() as tell:
        report = pipeline.answer(directory, tell)
    say_answer(report, chosen)
    return status(report) if exit_code else 0


COMMAND = Command(name="report", order=40, run=_report)
