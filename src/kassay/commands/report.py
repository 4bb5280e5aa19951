# SPDX-License-Identifier: GPL-2.0-only
"""kassay report: answer again, in another form; measures nothing."""

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from kassay.commands import Again, Command, command_named, command_packages
from kassay.commands._exit import ALLOWING, AllowRefused, ExitCode, Passing
from kassay.commands._form_options import FormOptions, WithFormOptions
from kassay.commands._options import Format
from kassay.commands._show import say_answer, showing
from kassay.errors import BadInput
from kassay.report.formats import format_named, formats

if TYPE_CHECKING:
    from kassay.model.report import Report

RULES = ("kassay", "seed")
Evidence = Annotated[
    Path | None,
    Option(
        metavar="EVIDENCE",
        help="New directory for the files of --format framework: raw and summary CSV, execution order, coverage.",
        show_default=False,
    ),
]
Retracts = Annotated[
    Path | None,
    Option(
        metavar="OLD",
        help="Take back an earlier report, which DIR contradicts. Both may be directories or bundles.",
        show_default=False,
    ),
]
DebugSymbols = Annotated[
    bool,
    Option(
        "--debug-symbols",
        help="Find the source lines of archive kernels in their debug packages, and keep them in DIR.",
    ),
]


@WithFormOptions
def _report(
    directory: Annotated[
        Path, Argument(metavar="DIR", help="Directory that a measuring command or `kassay import` made.")
    ],
    format_: Format = "terminal",
    rules: Annotated[
        str,
        Option(
            metavar="RULES",
            help="kassay: its own rules. seed: also the verdicts of the seed framework's rules on the same boots.",
        ),
    ] = "kassay",
    charts: Annotated[
        Path | None,
        Option(metavar="DIR", help="Directory to write every chart to, as SVG and PNG.", show_default=False),
    ] = None,
    retracts: Retracts = None,
    debug_symbols: DebugSymbols = False,
    out: Evidence = None,
    exit_code: ExitCode = False,
    allow_refused: AllowRefused = None,
    *,
    given: FormOptions,
) -> int:
    """Show the answer of a directory in another form.

    The directory may be finished, interrupted or imported. kassay measures nothing.

    Example: kassay report kassay-out/demo --format mail > report.mail && git send-email report.mail
    """
    from kassay.commands._inputs import check_directory
    from kassay.commands._together import check_together
    from kassay.errors import unknown

    check_together(ALLOWING)
    if out is not None:
        _check_out(out, format_, reply=retracts is not None)
    if retracts is not None:
        from kassay.commands._retraction import show_retraction

        if rules != RULES[0] or charts is not None or exit_code or debug_symbols:
            alone = "leave out --rules, --charts, --debug-symbols and --exit-code"
            raise BadInput("--retracts: takes --format alone", alone)
        show_retraction(directory, retracts, format_, given.get(format_, {}))
        return 0
    if not (directory / "plan.json").exists():
        again = Again(directory, format_, given.get(format_, {}), exit_code, tuple(allow_refused or ()))
        if (status := _shown(again, runs_only=charts is not None or debug_symbols or rules != RULES[0])) is not None:
            return status
    chosen = format_named(format_)
    if rules not in RULES:
        raise unknown("--rules: unknown", rules, RULES)
    for name in given.keys() - {chosen.name}:
        raise BadInput(f"{', '.join(given[name])}: for --format {name}, not for {chosen.name}", f"add --format {name}")
    if charts is not None:
        check_directory(charts, "--charts")
    from kassay.answers import report_of  # not by the pipeline, which loads all that measures
    from kassay.commands._recipients import recipients_text
    from kassay.report import drawing
    from kassay.report.answer_form import PEOPLE

    if chosen.page == "people" or charts is not None:
        drawing.start()
    with showing() as tell:
        if debug_symbols:
            from kassay.commands._debug_symbols import add_lines

            add_lines(directory, tell)
        report = report_of(directory, tell, seed_rules=rules == "seed")
        options = given.get(chosen.name, {})
        if chosen.addressed:
            options = {**options, PEOPLE: recipients_text(report, tell)}
    passing = Passing(exit_code, tuple(allow_refused or ()))
    passing.check(finding.workload for finding in report.findings)
    if out is not None and chosen.files is not None:
        _write_files(chosen.files(report), out)
    else:
        say_answer(report, chosen, options)
    _write_charts(report, charts)
    return passing.status(report)


def _check_out(out: Path, format_name: str, *, reply: bool) -> None:
    from kassay.commands._inputs import check_directory

    if reply or format_named(format_name).files is None:
        raise BadInput(
            f"--out: --format {format_name} writes no directory", "add --format framework, or leave out --out"
        )
    check_directory(out)


def _write_files(files: Mapping[str, str], out: Path) -> None:
    """Writes a new directory. Raises BadInput if it has other files, so that no evidence is mixed."""
    from kassay.commands._show import say
    from kassay.effects.files import write_atomic

    if out.exists() and any(path.name not in files for path in out.iterdir()):
        raise BadInput(f"--out {out}: holds other files", "name a new directory")
    for name, text in files.items():
        write_atomic(out / name, text.encode())
    say(f"{out}: {', '.join(files)}\nnext: kassay import {quote(str(out))}\n")


def _write_charts(report: "Report", directory: Path | None) -> None:
    if directory is None:
        return
    from kassay.commands._answer import write_page_files

    for form in formats().values():
        write_page_files(report, form, directory)


def _shown(again: Again, *, runs_only: bool) -> int | None:
    """The answer of a command that keeps one of its own; the exit status, or None if the directory has none. runs_only:
    an option was given that is for runs."""
    kept = (name for name in command_packages() if (again.directory / f"{name}.json").is_file())
    show = next((found for name in kept if (found := command_named(name).show) is not None), None)
    if show is not None and runs_only:
        raise BadInput(f"{again.directory}: --charts, --rules and --debug-symbols are for a directory of runs",
                       "leave them out")  # fmt: skip
    return None if show is None else show(again)


COMMAND = Command(name="report", order=40, run=_report)
