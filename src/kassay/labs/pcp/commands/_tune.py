# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp tune: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands._options import format_option
from kassay.errors import BadInput
from kassay.labs.pcp.commands._options import AnswerDirectory
from kassay.labs.pcp.commands._replay import traces_of
from kassay.labs.pcp.commands._simulate import settings_of
from kassay.report.answers import answer_formats


def tune(
    traces: Annotated[
        list[Path], Argument(metavar="TRACE...", help="Files from kassay pcp record, or directories of them.")
    ],
    policy: Annotated[
        str, Option(metavar="NAME", help="Policy to replay.", show_default="that of the trace's kernel")
    ] = "",
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=A,B,...", show_default="six decays, three batches, three least highs",
               help="Try these values of a constant of the policy: decay_shift, batch, high_min, high_max, "
               "batch_scale_max or free_high_batch. May be repeated: every combination is tried. The kernel's own "
               "value is added."),
    ] = None,
    out: AnswerDirectory = None,
    format_: Annotated[str, format_option(answer_formats())] = "terminal",
) -> int:  # fmt: skip
    """Replay a recorded guest with other constants of its policy.

    The answer shows which choices trade pages from the zone, idle pages and the time that the zone lock is held
    against each other, and which values make no difference.

    Example: kassay pcp tune kassay-out/pages --set decay_shift=2,3,4 --set batch=16,63,252
    """
    from kassay.commands._inputs import check_directory
    from kassay.commands._show import give_answer, showing
    from kassay.labs.pcp.report.tuned import TUNED
    from kassay.labs.pcp.tune import tune as tuned

    form = TUNED.form(format_)
    check_directory(out)
    values = _values(set_ or [])
    with showing() as tell:
        answer = tuned(traces_of(traces), policy, values, tell)
    give_answer(answer, TUNED, form, out)
    return 0


def _values(texts: list[str]) -> dict[str, tuple[int, ...]]:
    example = "decay_shift=2,3,4"
    settings = settings_of(texts, example)
    for name, numbers in settings.items():
        if not numbers or not all(number.isdecimal() for number in numbers):
            raise BadInput(f"--set {name}={','.join(numbers)}: not whole numbers", f"for example --set {example}")
    return {name: tuple(dict.fromkeys(map(int, numbers))) for name, numbers in settings.items()}
