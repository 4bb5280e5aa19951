# SPDX-License-Identifier: GPL-2.0-only
"""kassay report: answer again, in another form; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._form_options import FormOptions, WithFormOptions
from kassay.commands._options import FORMATS_HELP
from kassay.commands._show import say_answer, showing
from kassay.errors import BadInput
from kassay.report.formats import format_named, formats

RULES = ("kassay", "seed")


@WithFormOptions
def _report(
    directory: Annotated[Path, Argument(metavar="DIR", help="Made by run, compare, ladder or import.")],
    format_: Annotated[str, Option("--format", help=FORMATS_HELP, autocompletion=complete.formats)] = "terminal",
    rules: Annotated[
        str, Option(help="kassay, or seed: also what the rules of the seeds' framework make of the same boots.")
    ] = "kassay",
    charts: Annotated[
        Path | None, Option(metavar="DIR", help="Also write every chart there, as SVG and as PNG.", show_default=False)
    ] = None,
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 on a regression, 4 without a verdict.")] = False,
    *,
    given: FormOptions,
) -> int:
    """Answer again from a finished, interrupted or imported directory, in another form.

    Example: kassay report kassay-out/demo --format mail > report.mail && git send-email report.mail
    """
    from kassay.commands._answer import status, write_page_files
    from kassay.errors import unknown

    chosen = format_named(format_)
    if rules not in RULES:
        raise unknown("--rules: unknown", rules, RULES)
    for name in given.keys() - {chosen.name}:
        raise BadInput(f"{', '.join(given[name])}: for --format {name}, not for {chosen.name}", f"add --format {name}")
    from kassay import pipeline
    from kassay.report import drawing

    if chosen.page == "people" or charts is not None:
        drawing.start()
    with showing() as tell:
        report = pipeline.answer(directory, tell, seed_rules=rules == "seed")
    say_answer(report, chosen, given.get(chosen.name))
    if charts is not None:
        for form in formats().values():
            write_page_files(report, form, charts)
    return status(report) if exit_code else 0


COMMAND = Command(name="report", order=40, run=_report)
