# SPDX-License-Identifier: GPL-2.0-only
"""kassay ci: whether a range of commits costs more than it may."""

from typing import Annotated

from typer import Argument

from kassay.commands import Again, Command
from kassay.commands._with_options import with_options
from kassay.labs.review.commands._ci_options import Gating


@with_options
def _ci(
    range_: Annotated[str, Argument(metavar="BASE..HEAD", help="Two revisions of the git tree.")],
    options: Gating,
) -> int:
    """May this range of commits be merged?

    kassay builds both ends and runs a suite once on each. What is equal to the digit is finished. What differs is
    measured with perturbed runs, and fails if it costs more than the limit. Both ends are measured in the same job, so
    the host does not matter. docs/how-to/ci.md

    Exit status: 1 a phase is over its limit · 4 a cell has no verdict · 0 otherwise.

    Example: kassay ci origin/main..HEAD --budget 10m --fail-over '0.5 %'
    """
    from kassay.labs.review.commands._ci_answer import answer

    return answer(range_, options)


def _show(again: Again) -> int:
    from kassay.commands._show import say_kept
    from kassay.labs.review.gate import exit_status
    from kassay.labs.review.gate_model import Gate
    from kassay.labs.review.report import GATE

    found = say_kept(GATE, "ci", Gate, again)
    return exit_status(found, again.allowed) if again.exit_code else 0


COMMAND = Command(name="ci", order=24, run=_ci, show=_show)
