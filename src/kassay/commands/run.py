# SPDX-License-Identifier: GPL-2.0-only
"""kassay run: an experiment file."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import FORMATS_HELP, BootLimit, ClusterOption, DryRun, Reset, Start
from kassay.model.reach import HERE, Reach


def _run(
    spec: Annotated[Path, Argument(metavar="SPEC.toml", help="An experiment file; docs/experiment.md has every key.")],
    out: Annotated[Path | None, Option(help="Directory of the runs; the same command again resumes it.")] = None,
    fresh: Annotated[bool, Option("--fresh", help="Measure anew beside an existing directory.")] = False,
    format_: Annotated[str, Option("--format", help=FORMATS_HELP, autocompletion=complete.formats)] = "terminal",
    predict: Annotated[
        str, Option(metavar="CPU[,CPU]", help="Also predict time on these CPUs, in place of the file's.")
    ] = "",
    cluster: ClusterOption = "",
    reset: Reset = "",
    start: Start = "",
    boot_limit: BootLimit = HERE.limit_s,
    plan: DryRun = False,
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 on a regression, 4 without a verdict.")] = False,
) -> int:
    """Measure what an experiment file asks, then answer. Resumes when the directory exists."""
    from kassay.commands._answer import measure_and_answer, show_commands
    from kassay.commands._experiment import directory_for, experiment_in, predicting

    experiment = predicting(experiment_in(spec), predict)
    directory, reach = directory_for(experiment, out, fresh), Reach(reset=reset, start=start, limit_s=boot_limit)
    if plan:
        return show_commands(experiment, directory, reach)
    return measure_and_answer(experiment, directory, format_, exit_code, cluster=cluster, reach=reach)


COMMAND = Command(name="run", order=30, run=_run)
