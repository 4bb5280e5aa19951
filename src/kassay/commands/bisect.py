# SPDX-License-Identifier: GPL-2.0-only
"""kassay bisect: which commit, or which release, made it slower?"""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._bisect_options import Searching
from kassay.commands._options import Measuring
from kassay.commands._together import check_together, given_options
from kassay.commands._with_options import with_options


def _bisect(
    workload: Annotated[
        str, Argument(help="Workload or application; `kassay workloads` lists them.", autocompletion=complete.workloads)
    ] = "",
    kernels: Annotated[
        list[str] | None,
        Argument(
            metavar="[KERNEL KERNEL...]",
            help="Kernels to search, oldest first, in place of --good and --bad.",
            show_default=False,
            autocompletion=complete.kernels,
        ),
    ] = None,
    *,
    searching: Searching,
    options: Measuring,
) -> int:
    """Which commit or release made WORKLOAD slower?

    With exact counts kassay boots each candidate once. With times it boots candidates until the error rate is below
    --error-rate. Kernels that do not build or boot are skipped. The same command again resumes.

    Example: kassay bisect mprotect_toggle --good debian:6.12 --bad debian:7.3
    """
    from kassay.commands import _bisect_search as search

    check_together(
        {"--head": ("--step",)}, {"--replay": sorted(given_options() - {"--replay"})} if searching.replay else {}
    )
    if searching.replay is not None:
        return search.replayed(searching.replay)
    if searching.one_step:
        return search.one_step(workload, searching, options)
    return search.searched(workload, kernels or [], searching, options)


COMMAND = Command(name="bisect", order=25, run=with_options(_bisect, without=("debug_symbols",)))
