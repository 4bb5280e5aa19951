# SPDX-License-Identifier: GPL-2.0-only
"""kassay profile: where the cost is, and where a difference is; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands._profile_options import Profiling
from kassay.commands._with_options import with_options


@with_options
def _profile(
    directory: Annotated[Path, Argument(metavar="DIR", help="Directory that a measuring command made.")],
    profiling: Profiling,
) -> int:
    """Show in which functions the cost, or the difference between two kernels, lies.

    kassay measures nothing. Without options it compares the first kernel with the last one in the primary phase. Values
    are per operation, and the column of differences adds up to the whole difference.

    Example: kassay profile kassay-out/demo --base debian:6.16 --head debian:6.17 --top 0
    """
    from kassay.commands._profile_answers import answer

    answer(directory, profiling)
    return 0


COMMAND = Command(name="profile", order=45, run=_profile)
