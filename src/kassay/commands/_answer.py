# SPDX-License-Identifier: GPL-2.0-only
"""Measure, then answer: what run, compare and ladder have in common."""

from collections.abc import Sequence
from pathlib import Path

from kassay.commands._experiment import directory_for, experiments_from
from kassay.commands._options import Measuring
from kassay.commands._show import say, say_answer, showing
from kassay.effects.files import write_atomic
from kassay.errors import KassayError
from kassay.journal.directory import BESIDE
from kassay.model.experiment import Experiment
from kassay.model.finding import REFUSED
from kassay.model.progress import Progress
from kassay.model.reach import HERE, Reach
from kassay.model.report import Report
from kassay.report.formats import Format, format_named, formats


def ask_and_answer(question: str, workload: str, kernels: Sequence[str], options: Measuring) -> int:
    """Measures what a command line asks, then answers; the exit status."""
    experiment, beside = experiments_from(question, workload, kernels, options)
    directory = directory_for(experiment, options.out, options.fresh)
    if options.plan:
        return show_commands(beside or experiment, directory, options.reach)
    return measure_and_answer(
        experiment, directory, options.format_, options.exit_code, beside, options.cluster, options.reach
    )


def show_commands(experiment: Experiment, directory: Path, reach: Reach) -> int:
    """Prints every command that would be executed on a machine elsewhere."""
    from kassay.plan.visit import commands_there

    with showing() as tell:
        text = commands_there(experiment, directory, tell, reach)
    say(text)
    return 0


def measure_and_answer(
    experiment: Experiment, directory: Path, format_name: str, exit_code: bool, beside: Experiment | None = None,
    cluster: str = "", reach: Reach = HERE,
) -> int:  # fmt: skip
    """Runs what is owed, writes report.html with its charts and report.json, prints the answer; the exit status.

    beside: the same question, timed, to stand beside the counts. cluster: address of hosts that make the runs. reach:
    of a machine elsewhere.
    """
    from kassay import pipeline

    chosen = format_named(format_name)
    missing: KassayError | None = None
    with showing() as tell:
        pipeline.measure(experiment, directory, tell, cluster=cluster, reach=reach)
        try:
            if beside is not None:
                pipeline.measure(beside, directory / BESIDE, tell, cluster=cluster, reach=reach)
        except KassayError as error:  # what was counted is an answer all the same
            missing = error
        report = pipeline.answer(directory, tell)
    deliver(report, chosen, directory)
    if missing is not None:
        raise missing
    return status(report) if exit_code else 0


def deliver(report: Report, chosen: Format, directory: Path) -> None:
    """Prints the answer, then writes the pages that every directory of runs gets, with their charts."""
    say_answer(report, chosen)  # first: drawing the page's charts takes longer than the rest of the answer
    pages = [form for form in formats().values() if form.page]
    with showing() as tell:
        for form in pages:
            tell(Progress(stage="page", subject=f"report{form.suffix}", text="drawing its charts"))
            write_atomic(directory / f"report{form.suffix}", form.render(report).encode())
            write_beside(report, form, directory)
    if chosen.screen is not None:
        for form in pages:
            say(f"report: {directory}/report{form.suffix}\n" if form.page == "people" else "")


def write_beside(report: Report, form: Format, directory: Path) -> None:
    """The files that a page comes with, such as its charts."""
    for name, data in form.beside(report) if form.beside is not None else ():
        write_atomic(directory / name, data)


def status(report: Report) -> int:
    """1 when any primary finding, counted or timed, is a regression; 4 when none was admitted or all are
    inconclusive; else 0."""
    primary = {finding.metric for finding in report.findings if finding.primary}
    verdicts = [finding.verdict for finding in report.findings if finding.primary]
    verdicts += [one.time_verdict for one in report.beside if one.metric in primary]
    if "regression" in verdicts:
        return 1
    if not verdicts or all(verdict in REFUSED or verdict == "inconclusive" for verdict in verdicts):
        return 4
    return 0
