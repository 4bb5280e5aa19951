# SPDX-License-Identifier: GPL-2.0-only
"""kassay gap: how much of a change between two kernels a third one takes back."""

from typing import Annotated, Any

from typer import Argument

from kassay.commands import Command
from kassay.commands._answer import measure_and_answer
from kassay.commands._options import directory_for, experiments_from, with_shared_options


@with_shared_options
def _gap(
    workload: Annotated[str, Argument(help="What to run; `kassay workloads` lists them.")],
    old: Annotated[str, Argument(help="The kernel before the change, e.g. debian:6.16.")],
    new: Annotated[str, Argument(help="The kernel with the change, e.g. debian:6.19.")],
    candidate: Annotated[str, Argument(help="The kernel that may take it back, e.g. debian:7.3.")],
    options: dict[str, Any],
) -> int:
    """What share of the change from OLD to NEW does CANDIDATE take back, and in which functions?

    Example: kassay gap mprotect_toggle debian:6.16 debian:6.19 debian:7.3
    """
    experiment, beside = experiments_from("gap", workload, (old, new, candidate), options)
    directory = directory_for(experiment, options["out"], options["fresh"])
    return measure_and_answer(experiment, directory, options["format_"], options["exit_code"], beside)


COMMAND = Command(name="gap", order=21, run=_gap)
