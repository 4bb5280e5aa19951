# SPDX-License-Identifier: GPL-2.0-only
"""kassay ladder: many kernels in order; where are the steps?"""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Measuring, Workloads
from kassay.commands._with_options import with_options


@with_options
def _ladder(
    workload: Workloads,
    kernels: Annotated[
        list[str],
        Argument(
            metavar="KERNEL KERNEL...", help="Two or more kernels, oldest first.", autocompletion=complete.kernels
        ),
    ],
    options: Measuring,
) -> int:
    """Which kernel made WORKLOAD slower?

    kassay measures all kernels and reports every step between neighbours, not only the largest.

    Example: kassay ladder mprotect_toggle debian:6.12 debian:6.16 debian:6.17 debian:6.19 debian:7.0
    """
    from kassay.commands._answer import ask_and_answer

    return ask_and_answer("ladder", workload, kernels, options)


COMMAND = Command(name="ladder", order=20, run=_ladder)
