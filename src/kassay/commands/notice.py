# SPDX-License-Identifier: GPL-2.0-only
"""kassay notice: which applications execute the functions of a change, and what it costs each."""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._notice_options import Noticing
from kassay.commands._options import with_options


@with_options
def _notice(
    words: Annotated[
        list[str],
        Argument(
            metavar="DIR|FUNCTION... [KERNEL KERNEL]",
            help="A directory of compare or ladder, whose largest change is looked for; or functions of the kernel. "
            "Then the two kernels, or with functions one.",
            autocompletion=complete.kernels,
        ),
    ],
    options: Noticing,
) -> int:
    """Which applications execute these functions, how often, by which system call, and what does the change cost each?

    Of a finding these are the functions in which its difference lies. Applications that there are no runs of are
    measured; the same command again resumes. docs/notice.md

    Example: kassay notice kassay-out/demo 6.16 6.17

    Example: kassay notice change_protection 6.16 6.17 --apps node_job,redis_save
    """
    from kassay.commands._notice_answer import answer

    return answer(words, options)


COMMAND = Command(name="notice", order=47, run=_notice)
