# SPDX-License-Identifier: GPL-2.0-only
"""kassay cluster: what several hosts need besides their workers."""

from typing import Annotated

from typer import Argument, Option, Typer

from kassay.commands import Command

_APP = Typer(help="Set up measuring on several hosts. docs/reference/cluster.md", no_args_is_help=True)
_DEFAULT = "tcp://127.0.0.1:8786"


@_APP.command()
def scheduler(
    address: Annotated[str, Argument(metavar="[ADDRESS]", help="Address to listen on.")] = _DEFAULT,
    dashboard: Annotated[str, Option(metavar="HOST:PORT", help="Serve the engine's status page on this address.")] = "",
) -> int:
    """Run the scheduler that workers and kassay connect to, until stopped.

    The scheduler stores nothing. kassay asks again for runs that were not delivered when the scheduler ended.
    """
    from kassay.commands._show import showing
    from kassay.tools.cluster import engine_installed
    from kassay.tools.cluster.address import address_of, check_dashboard

    parsed_address = address_of(address)
    check_dashboard(dashboard)
    engine_installed()
    from kassay.tools.cluster.services import serve_scheduler

    with showing() as tell:
        serve_scheduler(parsed_address, dashboard, tell)
    return 0


@_APP.command()
def certificates() -> int:
    """Make a key and a certificate for the hosts of a cluster.

    Existing ones are never overwritten.
    """
    from kassay.commands._show import say
    from kassay.tools.cluster import engine_installed
    from kassay.tools.cluster.certificates import make_certificates

    engine_installed()
    say(f"{make_certificates()}: copy it to the same place on every host; whoever has it can use the cluster\n")
    return 0


COMMAND = Command(name="cluster", order=71, run=_APP)
