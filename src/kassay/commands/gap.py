# SPDX-License-Identifier: GPL-2.0-only
"""kassay gap: how much of a change between two kernels a third one takes back."""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Measuring, Workloads
from kassay.commands._with_options import with_options


@with_options
def _gap(
    workload: Workloads,
    old: Annotated[str, Argument(help="Kernel before the change, e.g. debian:6.16.", autocompletion=complete.kernels)],
    new: Annotated[str, Argument(help="Kernel with the change, e.g. debian:6.19.", autocompletion=complete.kernels)],
    candidate: Annotated[
        str,
        Argument(
            help="Kernel that may take the change back, e.g. debian:7.3.",
            show_default=False,
            autocompletion=complete.kernels,
        ),
    ] = "",
    *,
    options: Measuring,
) -> int:
    """What share of the change from OLD to NEW does CANDIDATE take back, and in which functions?

    Example: kassay gap mprotect_toggle debian:6.16 debian:6.19 debian:7.3
    """
    from kassay.commands._answer import ask_and_answer

    return ask_and_answer("gap", workload, (old, new, candidate), options)


COMMAND = Command(name="gap", order=21, run=_gap)
