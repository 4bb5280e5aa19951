# SPDX-License-Identifier: GPL-2.0-only
"""kassay worker: this host makes runs that are asked for elsewhere."""

import os
import platform
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.errors import BadInput


def _worker(
    address: Annotated[str, Argument(metavar="ADDRESS", help="Address of the scheduler, e.g. tcp://10.0.0.1:8786.")],
    slots: Annotated[
        int,
        Option(
            min=0, metavar="N", help="Number of counted runs at a time. 0: one for each CPU. Timed runs never overlap."
        ),
    ] = 0,
    cpus: Annotated[str, Option(metavar="0-3,8", help="Pin runs to these CPUs.", show_default="all")] = "",
    name: Annotated[
        str, Option(metavar="NAME", help="Name of this host in reports.", show_default="its host name")
    ] = "",
) -> int:
    """Make runs for a scheduler until stopped.

    Everybody who can connect to the scheduler can execute code on this host. docs/reference/cluster.md describes how to
    limit that.
    """
    from kassay.commands._show import showing
    from kassay.model.progress import Progress
    from kassay.tools.cluster import engine_installed
    from kassay.tools.cluster.address import address_of
    from kassay.tools.cluster.cpu_sets import numbers

    parsed_address, pinned = address_of(address), numbers(cpus)
    if set(pinned) - os.sched_getaffinity(0):
        raise BadInput(f"--cpus {cpus}: this process may not use all of them", "see `taskset -p $$` for what it may")
    engine_installed()
    from kassay.supply.machines import this_host
    from kassay.tools.cluster.services import serve_worker

    if pinned:
        os.sched_setaffinity(0, pinned)  # so are the runs, which inherit it
    with showing() as tell:
        host = this_host(name or platform.node(), cpus, tell)
        tell(Progress(stage="cluster", subject=host.name, text=f"{host.cpu}; {', '.join(host.machines)}"))
        serve_worker(parsed_address, slots or host.cpus, host, tell)
    return 0


COMMAND = Command(name="worker", order=72, run=_worker)
