# SPDX-License-Identifier: GPL-2.0-only
"""kassay hosts: one question on several hosts, side by side."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands._options import format_option
from kassay.errors import BadInput
from kassay.report.answers import answer_formats


def _hosts(
    directories: Annotated[
        list[Path], Argument(metavar="DIR...", help="Run directories, one from each host, or one that a cluster made.")
    ],
    format_: Annotated[str, format_option(answer_formats())] = "terminal",
) -> int:
    """Compare the results of several hosts that measured the same question.

    The answer has each host's values, its change and the interval of that change. It says whether the hosts differ by
    more than the boots of one host do. Each person runs the same pinned.toml.

    Example: kassay hosts mine yours --format markdown
    """
    from kassay.commands._hosts_answer import put_together
    from kassay.commands._show import say_answer
    from kassay.report.sections.hosts import HOSTS

    chosen = HOSTS.form(format_)
    if len({path.resolve() for path in directories}) < len(directories):
        raise BadInput("a directory is named twice", "name each host's directory once")
    say_answer(put_together(directories), chosen)
    return 0


COMMAND = Command(name="hosts", order=43, run=_hosts)
