# SPDX-License-Identifier: GPL-2.0-only
"""kassay run: an experiment file."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import FORMATS_HELP, ClusterOption


def _run(
    spec: Annotated[Path, Argument(metavar="SPEC.toml", help="An experiment file; docs/experiment.md has every key.")],
    out: Annotated[Path | None, Option(help="Directory of the runs; the same command again resumes it.")] = None,
    fresh: Annotated[bool, Option("--fresh", help="Measure anew beside an existing directory.")] = False,
    format_: Annotated[str, Option("--format", help=FORMATS_HELP, autocompletion=complete.formats)] = "terminal",
    predict: Annotated[
        str, Option(metavar="CPU[,CPU]", help="Also predict time on these CPUs, in place of the file's.")
    ] = "",
    cluster: ClusterOption = "",
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 on a regression, 4 without a verdict.")] = False,
) -> int:
    """Measure what an experiment file asks, then answer. Resumes when the directory exists."""
    from kassay.commands._answer import measure_and_answer
    from kassay.commands._experiment import directory_for, experiment_in, predicting

    experiment = predicting(experiment_in(spec), predict)
    return measure_and_answer(experiment, directory_for(experiment, out, fresh), format_, exit_code, cluster=cluster)


COMMAND = Command(name="run", order=30, run=_run)
