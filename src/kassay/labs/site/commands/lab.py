# SPDX-License-Identifier: GPL-2.0-only
"""kassay lab: keeps a public matrix of kernels current."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._options import ClusterOption


def _lab(
    file: Annotated[Path, Argument(metavar="LAB.TOML", help="File that says which kernels the laboratory follows.")],
    once: Annotated[bool, Option("--once", help="End after one turn.")] = False,
    plan: Annotated[bool, Option("--plan", help="Print what a turn would measure, and end.")] = False,
    budget: Annotated[
        str | None,
        Option(
            metavar="TIME", help="Time that a turn may measure, e.g. 90s, 20m, 2h.", show_default="that of the file"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Directory for runs, history, site and drafts.", show_default="that of the file"),
    ] = None,
    cluster: ClusterOption = "",
) -> int:
    """Keep a public matrix of kernels current.

    Each turn finds new kernels, measures pairs of neighbours, confirms changes by a fresh pair, narrows them, and
    writes the site. Mail drafts wait in the outbox. kassay sends nothing. The same command again continues.

    Example: kassay lab lab.toml --once --budget 2h
    """
    from kassay.labs.site.commands._lab_answer import answer

    return answer(file, once=once, plan=plan, budget=budget, out=out, cluster=cluster)


COMMAND = Command(name="lab", order=82, run=_lab)
