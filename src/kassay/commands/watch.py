# SPDX-License-Identifier: GPL-2.0-only
"""kassay watch: a running experiment as a page in the browser."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command


def _watch(
    directory: Annotated[Path, Argument(metavar="DIR", help="Of an experiment, or one that holds several.")],
    port: Annotated[int, Option(min=0, max=65535, help="Of 127.0.0.1; 0: any that is free.")] = 0,
) -> int:
    """Show a running experiment in the browser, filling in: cells by kernels, runs, hosts, values, time left.

    It reads the directory alone, of a local run or of a cluster's, until it is interrupted; the page goes to the report
    when that is written. Example: kassay watch kassay-out/demo
    """
    from kassay.commands._show import say
    from kassay.effects.process import be_idle
    from kassay.watch.server import serve

    if not directory.exists():
        say(f"{directory}: not there yet; it is shown as soon as it is\n", error=True)
    be_idle()
    serve(directory, port, lambda address: say(f"{address}\n"))
    return 0


COMMAND = Command(name="watch", order=44, run=_watch)
