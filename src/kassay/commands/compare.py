# SPDX-License-Identifier: GPL-2.0-only
"""kassay compare: two kernels, no file needed."""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Measuring, Workloads
from kassay.commands._with_options import with_options


@with_options
def _compare(
    workload: Workloads = "",
    base: Annotated[
        str,
        Argument(
            help="Kernel to compare with: debian:6.16, image:PATH or build:TREE.",
            show_default=False,
            autocompletion=complete.kernels,
        ),
    ] = "",
    head: Annotated[
        str, Argument(help="Kernel that is compared with BASE.", show_default=False, autocompletion=complete.kernels)
    ] = "",
    *,
    options: Measuring,
) -> int:
    """Did WORKLOAD get slower from BASE to HEAD?

    kassay boots both kernels, checks that they did the same work on the same memory state, counts every instruction,
    and gives a verdict. The same command again continues in the same directory and repeats no finished run.

    Example: kassay compare mprotect_toggle debian:6.16 debian:6.17 --set size=16MiB
    """
    from kassay.commands._answer import ask_and_answer

    return ask_and_answer("compare", workload, (base, head), options, may_time_here=True)


COMMAND = Command(name="compare", order=10, run=_compare)
