# SPDX-License-Identifier: GPL-2.0-only
"""kassay notice: which applications execute the functions of a change, and what it costs each."""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._with_options import with_options
from kassay.labs.notice.commands._options import Noticing


@with_options
def _notice(
    words: Annotated[
        list[str],
        Argument(
            metavar="DIR|FUNCTION... [KERNEL KERNEL]",
            help="Directory of compare or ladder, whose largest change is taken, or kernel functions. Then two "
            "kernels; one is enough with functions.",
            autocompletion=complete.kernels,
        ),
    ],
    options: Noticing,
) -> int:
    """Which applications notice a change, and what does it cost them?

    For each application the answer says how often it executes the changed functions, by which system call, and what
    the change costs. Applications that have no runs yet are measured. The same command again resumes.
    docs/how-to/notice.md

    Example: kassay notice kassay-out/demo 6.16 6.17

    Example: kassay notice change_protection 6.16 6.17 --apps node_job,redis_save
    """
    from kassay.labs.notice.commands._answer import answer

    return answer(words, options)


COMMAND = Command(name="notice", order=47, run=_notice)
