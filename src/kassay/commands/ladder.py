# SPDX-License-Identifier: GPL-2.0-only
"""kassay ladder: many kernels in order; where are the steps?"""

from typing import Annotated, Any

from typer import Argument

from kassay.commands import Command
from kassay.commands._answer import measure_and_answer
from kassay.commands._options import directory_for, experiments_from, with_shared_options


@with_shared_options
def _ladder(
    workload: Annotated[str, Argument(help="What to run; `kassay workloads` lists them.")],
    kernels: Annotated[list[str], Argument(metavar="KERNEL KERNEL...", help="Two or more, oldest first.")],
    options: dict[str, Any],
) -> int:
    """Which kernel made WORKLOAD slower? All steps are found, not just the largest.

    Example: kassay ladder mprotect_toggle debian:6.12 debian:6.16 debian:6.17 debian:6.19 debian:7.0
    """
    experiment, beside = experiments_from("ladder", workload, kernels, options)
    directory = directory_for(experiment, options["out"], options["fresh"])
    return measure_and_answer(experiment, directory, options["format_"], options["exit_code"], beside)


COMMAND = Command(name="ladder", order=20, run=_ladder)
