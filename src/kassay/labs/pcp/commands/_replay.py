# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp replay: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands._options import format_option
from kassay.commands._set_option import name_and_value
from kassay.errors import BadInput
from kassay.labs.pcp.commands._options import AnswerDirectory
from kassay.report.answers import answer_formats


def replay(
    traces: Annotated[
        list[Path], Argument(metavar="TRACE...", help="Files from kassay pcp record, or directories of them.")
    ],
    policy: Annotated[
        str,
        Option(metavar="NAME,...", help="Policies to replay.", show_default="that of the trace's kernel"),
    ] = "",
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Set a parameter of the simulation. May be repeated."),
    ] = None,
    begin_movable: Annotated[
        bool,
        Option("--begin-movable", help="Assume that the lists hold only movable order-0 pages at the start. By "
               "default the trace says what they hold."),
    ] = False,
    out: AnswerDirectory = None,
    format_: Annotated[str, format_option(answer_formats())] = "terminal",
) -> int:  # fmt: skip
    """Replay the page events of a recorded guest with a policy, and compare with what its kernel did.

    Example: kassay pcp replay kassay-out/pages --policy fixed,auto,auto_7_3
    """
    from kassay.commands._inputs import check_directory
    from kassay.commands._show import give_answer, showing
    from kassay.labs.pcp.replay import Asked
    from kassay.labs.pcp.replay import replay as replayed
    from kassay.labs.pcp.report.replayed import REPLAYED

    form = REPLAYED.form(format_)
    check_directory(out)
    policies = tuple(dict.fromkeys(filter(None, policy.split(","))))
    with showing() as tell:
        answer = replayed(traces_of(traces), Asked(policies, _numbers(set_ or []), by_list=not begin_movable), tell)
    give_answer(answer, REPLAYED, form, out)
    return 0


def traces_of(given: list[Path]) -> list[Path]:
    """Files of page traces: those given, and those in the directories given. Raises BadInput if there is none."""
    from kassay.tools.recording.record import SUFFIX

    paths = [path for one in given for path in (sorted(one.glob(f"*{SUFFIX}")) if one.is_dir() else [one])]
    paths = list(dict.fromkeys(paths))
    if not paths:
        raise BadInput(f"{given[0]}: a directory without page traces", "record some: kassay pcp record WORKLOAD KERNEL")
    return paths


def _numbers(texts: list[str]) -> dict[str, int]:
    numbers = {}
    for name, value in (name_and_value(text, "free_high_batch=0") for text in texts):
        if not value.isdecimal():
            raise BadInput(f"--set {name}={value}: not a whole number", "for example --set free_high_batch=0")
        numbers[name] = int(value)
    return numbers
