# SPDX-License-Identifier: GPL-2.0-only
"""kassay run: an experiment file."""

from pathlib import Path
from typing import Annotated

from msgspec import UNSET
from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._exit import ALLOWING, AllowRefused, ExitCode, Passing
from kassay.commands._options import BootLimit, ClusterOption, DryRun, Format, Fresh, OutDirectory, Reset, Start
from kassay.model.remote_machine import HERE, RemoteOptions


def _run(
    spec: Annotated[
        Path, Argument(metavar="SPEC.toml", help="Experiment file. docs/reference/experiment.md describes every key.")
    ],
    out: OutDirectory = None,
    fresh: Fresh = False,
    format_: Format = "terminal",
    predict: Annotated[
        str, Option(metavar="CPU[,CPU]", help="Predict time on these CPUs, in place of those in the file.")
    ] = "",
    cluster: ClusterOption = "",
    reset: Reset = "",
    start: Start = "",
    boot_limit: BootLimit = HERE.limit_s,
    plan: DryRun = False,
    exit_code: ExitCode = False,
    allow_refused: AllowRefused = None,
) -> int:
    """Measure what an experiment file describes, and answer.

    The same command again continues in the same directory and repeats no finished run.
    """
    from kassay.commands._answer import measure_and_answer, show_commands
    from kassay.commands._experiment import directory_for, experiment_in
    from kassay.commands._inputs import check_directory, check_format
    from kassay.commands._together import check_together
    from kassay.report.formats import format_named

    check_together(ALLOWING)
    format_named(format_)
    check_directory(out)
    passing = Passing(exit_code, tuple(allow_refused or ()))
    experiment = experiment_in(spec, passing, predict)
    check_format(format_, experiment)
    if experiment.on is UNSET:
        check_together(dict.fromkeys(("--reset", "--start", "--boot-limit"), ("on in the file",)))
    directory = directory_for(experiment, out, fresh)
    reach = RemoteOptions(reset=reset, start=start, limit_s=boot_limit)
    if plan:
        return show_commands(experiment, directory, reach)
    return measure_and_answer(experiment, directory, format_, passing, cluster=cluster, reach=reach)


COMMAND = Command(name="run", order=30, run=_run)
