# SPDX-License-Identifier: GPL-2.0-only
"""kassay watch: a running experiment as a page in the browser."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command


def _watch(
    directory: Annotated[Path, Argument(metavar="DIR", help="Directory of an experiment, or a directory of several.")],
    port: Annotated[int, Option(min=0, max=65535, metavar="N", help="Port on 127.0.0.1. 0 picks a free one.")] = 0,
) -> int:
    """Show a running experiment in the browser.

    The page shows finished runs, values, hosts and the time left, and turns into the report at the end. kassay reads
    only the directory, and serves the page until it is interrupted.

    Example: kassay watch kassay-out/demo
    """
    from kassay.commands._show import say
    from kassay.effects.process import be_idle
    from kassay.errors import BadInput
    from kassay.tools.watch.server import serve

    if directory.is_file():
        raise BadInput(f"{directory}: a file, not a directory", "give the directory of an experiment")
    if not directory.exists():
        say(f"{directory}: not there yet; it is shown as soon as it is\n", error=True)
    be_idle()
    serve(directory, port, lambda address: say(f"{address}\n"))
    return 0


COMMAND = Command(name="watch", order=44, run=_watch, keeps_cache=False)
