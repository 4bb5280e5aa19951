# SPDX-License-Identifier: GPL-2.0-only
"""Measure, then answer: the common part of the commands that ask a question."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from kassay.commands._exit import Passing
from kassay.commands._experiment import directory_for, experiments_from
from kassay.commands._options import Measuring, is_timed_here
from kassay.commands._show import say, say_answer, say_table, showing
from kassay.effects.files import write_atomic
from kassay.errors import BadInput, KassayError
from kassay.journal.directory import BESIDE, open_directory, resumed
from kassay.journal.repeats import failure_everywhere
from kassay.model.experiment import Experiment
from kassay.model.progress import Progress
from kassay.model.remote_machine import HERE, RemoteOptions
from kassay.model.report import Report
from kassay.report.formats import Format, format_named, formats

_FROM_SHELL = 126
"""Status from which a program was not executed, or was ended by a signal."""
_OTHER_STATUS = re.compile(r"program: ended with status (\d+), not")


def ask_and_answer(
    question: str, workload: str, kernels: Sequence[str], options: Measuring, *, may_time_here: bool = False
) -> int:
    """Measures what a command line asks, then answers; returns the exit status.

    may_time_here: a program may be timed on this machine beside its prediction (--clock icount,host).
    """
    here = may_time_here and bool(options.program) and is_timed_here(options.clock)
    if here:
        options = replace(options, clock=options.clock.partition(",")[0])
    experiment, timed = experiments_from(question, workload, kernels, options)
    if options.debug_symbols:
        from kassay.commands._debug_symbols import check_debug_symbols

        check_debug_symbols(experiment)
    directory = directory_for(experiment, options.out, options.fresh)
    if options.plan:
        return show_commands(timed or experiment, directory, options.reach)
    if here:
        from kassay.labs.predict.here import check_here

        check_here(experiment)
    return measure_and_answer(
        experiment, directory, options.format_, options.passing, timed, options.cluster, options.reach,
        debug_symbols=options.debug_symbols, here=here,
    )  # fmt: skip


def show_commands(experiment: Experiment, directory: Path, reach: RemoteOptions) -> int:
    """Prints every command that would be executed on a remote machine."""
    from kassay.supply.prepare.remote import remote_commands

    with showing() as tell:
        text = remote_commands(experiment, directory, tell, reach)
    say(text)
    return 0


def measure_and_answer(
    experiment: Experiment, directory: Path, format_name: str, passing: Passing, timed: Experiment | None = None,
    cluster: str = "", reach: RemoteOptions = HERE, *, debug_symbols: bool = False, here: bool = False,
) -> int:  # fmt: skip
    """Makes the missing runs, prints the answer, writes report.html with its charts and report.json; returns the exit
    status.

    timed: the same question with a clock that measures time, shown next to the counts. cluster: address of the hosts
    that make the runs. reach: how a remote machine is reached. passing: what the exit status says.
    debug_symbols: find the source lines of archive kernels. here: the program is timed on this machine as well, and
    shown beside its prediction.
    """
    from kassay.supply.prepare.supply import ask_ahead

    if timed is not None:
        resumed(directory / BESIDE, timed)  # other times must not be shown next to these counts
    ask_ahead(experiment)  # answered while the rest of kassay is imported
    from kassay import pipeline

    chosen = format_named(format_name)
    missing: KassayError | None = None
    with showing() as tell:
        pipeline.measure(experiment, directory, tell, cluster=cluster, reach=reach)
        _refuse_failure_everywhere(directory)
        try:
            if timed is not None:
                pipeline.measure(timed, directory / BESIDE, tell, cluster=cluster, reach=reach)
            if debug_symbols:
                from kassay.commands._debug_symbols import add_lines

                add_lines(directory, tell)
        except KassayError as error:  # the counts are still answered
            missing = error
        from kassay.report import drawing

        drawing.start()  # the page comes after the answer
        report = pipeline.answer(directory, tell)
    deliver(report, chosen, directory)
    if here:
        _show_here(experiment, directory, report, chosen)
    if missing is not None:
        raise missing
    return passing.status(report)


def _show_here(experiment: Experiment, directory: Path, report: Report, chosen: Format) -> None:
    """Times the program on this machine, unless that was done, and shows both times where people read the answer."""
    from kassay.labs.predict.here import beside_predictions, other_pages, time_here, timed_in

    with showing() as tell:
        tell(Progress(stage="here", subject=experiment.workloads[0].name, text="executed on this machine"))
        timed = timed_in(directory) or time_here(experiment, directory)
    if chosen.screen is not None:
        say("\n")
        say_table(beside_predictions(timed, report.findings))
        if note := other_pages(timed, experiment):
            say(f"{note}\n")


def _refuse_failure_everywhere(directory: Path) -> None:
    """Raises BadInput if every kernel gives the same failure, which no further attempt could change."""
    folder = open_directory(directory)
    failure = failure_everywhere(folder.plan, folder.records())
    if failure is None:
        return
    names = ", ".join(dict.fromkeys(cell.workload for cell in folder.plan.cells))
    status = _OTHER_STATUS.match(failure.detail)
    own = status[1] if status and int(status[1]) < _FROM_SHELL else ""
    wanted = own and f"if status {own} is its success: --require status=={own}; "
    raise BadInput(
        f"{names}: fails on every kernel, and every attempt would fail alike: {failure.detail}",
        f"{wanted}to see all that it prints: kassay try, with the same words and one kernel; every attempt: "
        f"kassay report {quote(str(directory))}",
    )


def deliver(report: Report, chosen: Format, directory: Path) -> None:
    """Prints the answer, then writes the report's pages and their charts into the directory."""
    say_answer(report, chosen)  # first, because drawing charts is slow
    # Those with charts last: what draws them may still be starting.
    pages = sorted((form for form in formats().values() if form.page), key=lambda form: form.page == "people")
    with showing() as tell:
        for form in pages:
            text = "drawing its charts" if form.beside is not None else ""
            tell(Progress(stage="page", subject=f"report{form.suffix}", text=text))
            write_atomic(directory / f"report{form.suffix}", form.render(report).encode())
            write_page_files(report, form, directory)
    if chosen.screen is not None:
        for form in pages:
            say(f"report: {directory}/report{form.suffix}\n" if form.page == "people" else "")


def write_page_files(report: Report, form: Format, directory: Path) -> None:
    """Writes the files that belong to a page, such as its charts."""
    for name, data in form.beside(report) if form.beside is not None else ():
        write_atomic(directory / name, data)
