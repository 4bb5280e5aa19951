# SPDX-License-Identifier: GPL-2.0-only
"""kassay compare: two kernels, no file needed."""

from typing import Annotated, Any

from typer import Argument

from kassay.commands import Command
from kassay.commands._answer import measure_and_answer
from kassay.commands._options import directory_for, experiments_from, with_shared_options


@with_shared_options
def _compare(
    workload: Annotated[str, Argument(help="What to run; `kassay workloads` lists them.")],
    base: Annotated[str, Argument(help="The kernel to compare with, e.g. debian:6.16 or image:PATH.")],
    head: Annotated[str, Argument(help="The kernel in question.")],
    options: dict[str, Any],
) -> int:
    """Did WORKLOAD get slower from BASE to HEAD?

    Boots both kernels, proves that they worked on the same state, and answers with a
    verdict. The same command again finds the same directory and repeats nothing.

    Example: kassay compare mprotect_toggle debian:6.16 debian:6.17 --set size=16MiB
    """
    experiment, beside = experiments_from("compare", workload, (base, head), options)
    directory = directory_for(experiment, options["out"], options["fresh"])
    return measure_and_answer(experiment, directory, options["format_"], options["exit_code"], beside)


COMMAND = Command(name="compare", order=10, run=_compare)
