# SPDX-License-Identifier: GPL-2.0-only
"""kassay profile: where the cost is, and where a difference is; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands._options import with_options
from kassay.commands._profile_options import Profiling


@with_options
def _profile(
    directory: Annotated[Path, Argument(metavar="DIR", help="A directory that run, compare or ladder made.")],
    profiling: Profiling,
) -> int:
    """Where the cost is, function by function, or where the difference between two kernels is. Measures nothing.

    Without options: the first kernel against the last one, in the primary metric. The column
    of differences adds up to the whole difference. Values are per operation.

    Example: kassay profile kassay-out/demo --base debian:6.16 --head debian:6.17 --top 0
    """
    from kassay.commands._profile_answers import answer

    answer(directory, profiling)
    return 0


COMMAND = Command(name="profile", order=45, run=_profile)
