# SPDX-License-Identifier: GPL-2.0-only
"""kassay hosts: one question on several hosts, side by side."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.errors import BadInput


def _hosts(
    directories: Annotated[
        list[Path], Argument(metavar="DIR...", help="Run directories, one of each host; or one of a cluster.")
    ],
    format_: Annotated[str, Option("--format", help="terminal, markdown or json.")] = "terminal",
) -> int:
    """Put runs of one question from several hosts side by side: each host's values and change with its interval, and
    whether the hosts differ in the change by more than boots of one host do.

    Each person runs the same pinned.toml. Example: kassay hosts mine yours --format markdown
    """
    from kassay.commands._hosts_answer import put_together
    from kassay.commands._show import say_answer
    from kassay.report.hosts import hosts_format

    chosen = hosts_format(format_)
    if len({path.resolve() for path in directories}) < len(directories):
        raise BadInput("a directory is named twice", "name each host's directory once")
    say_answer(put_together(directories), chosen)
    return 0


COMMAND = Command(name="hosts", order=43, run=_hosts)
