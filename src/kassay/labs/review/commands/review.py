# SPDX-License-Identifier: GPL-2.0-only
"""kassay review: what a patch series costs, where it can hurt, and what no workload runs."""

from typing import Annotated

from typer import Argument

from kassay.commands import Again, Command
from kassay.commands._with_options import with_options
from kassay.labs.review.commands._options import Reviewing


@with_options
def _review(
    series: Annotated[
        str,
        Argument(
            metavar="SERIES",
            help="Mailbox from `b4 am`, a diff, a directory of patches, a git range BASE..HEAD, or - for standard "
            "input.",
        ),
    ],
    options: Reviewing,
) -> int:
    """What does a patch series cost, and where can it hurt?

    kassay finds the sources that the series applies to, builds them without and with it, and runs the workloads that
    execute the changed functions, in neighbouring settings. The answer lists changed lines that nothing executes, the
    largest gain and the largest loss, and which patch makes them. docs/how-to/review.md

    Example: kassay review ./series.mbx --tree ~/linux

    Example: kassay review v7.0..my-branch --budget 1h --corners
    """
    from kassay.labs.review.commands._answer import answer

    return answer(series, options)


def _show(again: Again) -> int:
    from kassay.commands._show import say_kept
    from kassay.labs.review.exit_status import exit_status
    from kassay.labs.review.model import Review
    from kassay.labs.review.report import REVIEW

    found = say_kept(REVIEW, "review", Review, again)
    return exit_status(found) if again.exit_code else 0


COMMAND = Command(name="review", order=23, run=_review, show=_show)
