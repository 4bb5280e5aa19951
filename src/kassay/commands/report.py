# SPDX-License-Identifier: GPL-2.0-only
"""kassay report: answer again, in another form; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._options import FORMATS_HELP
from kassay.commands._show import say, say_answer, showing
from kassay.errors import BadInput

RULES = ("kassay", "seed")
_MAIL = "Mail"


def _report(
    directory: Annotated[Path, Argument(metavar="DIR", help="Made by run, compare, ladder or import.")],
    format_: Annotated[str, Option("--format", help=FORMATS_HELP)] = "terminal",
    rules: Annotated[
        str, Option(help="kassay, or seed: also what the rules of the seeds' framework make of the same boots.")
    ] = "kassay",
    charts: Annotated[
        Path | None, Option(metavar="DIR", help="Also write every chart there, as SVG and as PNG.", show_default=False)
    ] = None,
    in_reply_to: Annotated[
        str, Option(metavar="ID", help="Message-ID that the mail answers.", rich_help_panel=_MAIL, show_default=False)
    ] = "",
    to: Annotated[
        list[str] | None, Option(metavar="ADDRESS", help="Of the mail; may be repeated.", rich_help_panel=_MAIL)
    ] = None,
    cc: Annotated[
        list[str] | None, Option(metavar="ADDRESS", help="Of the mail; may be repeated.", rich_help_panel=_MAIL)
    ] = None,
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 on a regression, 4 without a verdict.")] = False,
) -> int:
    """Answer again from a finished, interrupted or imported directory, in another form.

    Example: kassay report kassay-out/demo --format mail > report.mail && git send-email report.mail
    """
    from kassay.commands._answer import format_named, status, write_charts

    chosen = format_named(format_)
    if rules not in RULES:
        raise BadInput(f"--rules: unknown {rules!r}", f"known: {', '.join(RULES)}")
    mailed = bool(in_reply_to or to or cc)
    if mailed and chosen.name != "mail":
        raise BadInput(f"--in-reply-to, --to and --cc are for a mail, not for {chosen.name}", "add --format mail")
    from kassay import pipeline
    from kassay.report.mail.headers import threaded

    with showing() as tell:
        report = pipeline.answer(directory, tell, seed_rules=rules == "seed")
    if mailed:
        say(threaded(chosen.render(report), in_reply_to, to or (), cc or ()))
    else:
        say_answer(report, chosen)
    if charts is not None:
        write_charts(report, charts)
    return status(report) if exit_code else 0


COMMAND = Command(name="report", order=40, run=_report)
