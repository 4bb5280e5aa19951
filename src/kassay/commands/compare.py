# SPDX-License-Identifier: GPL-2.0-only
"""kassay compare: two kernels, no file needed."""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Measuring, with_options


@with_options
def _compare(
    workload: Annotated[
        str, Argument(help="What to run; `kassay workloads` lists them.", autocompletion=complete.workloads)
    ],
    base: Annotated[
        str,
        Argument(help="The kernel to compare with, e.g. debian:6.16 or image:PATH.", autocompletion=complete.kernels),
    ],
    head: Annotated[
        str, Argument(help="The kernel in question.", show_default=False, autocompletion=complete.kernels)
    ] = "",
    *,
    options: Measuring,
) -> int:
    """Did WORKLOAD get slower from BASE to HEAD?

    Boots both kernels, proves that they worked on the same state, and answers with a
    verdict. The same command again finds the same directory and repeats nothing.

    Example: kassay compare mprotect_toggle debian:6.16 debian:6.17 --set size=16MiB
    """
    from kassay.commands._answer import ask_and_answer

    return ask_and_answer("compare", workload, (base, head), options)


COMMAND = Command(name="compare", order=10, run=_compare)
