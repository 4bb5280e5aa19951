# SPDX-License-Identifier: GPL-2.0-only
"""kassay verdicts: one line for each directory of runs."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from kassay.commands import Command


def _verdicts(
    directories: Annotated[list[Path], Argument(metavar="DIR...", help="Directories of runs, or imports.")],
) -> int:
    """Print the verdict of each directory; the exit status is 0."""
    from kassay import pipeline

    for directory in directories:
        print(f"{directory}: {pipeline.answer(directory).verdict}")
    return 0


COMMAND = Command(name="verdicts", order=41, run=_verdicts)
