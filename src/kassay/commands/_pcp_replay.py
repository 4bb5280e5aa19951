# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp replay: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.clocks import listed
from kassay.commands._set_words import name_and_value
from kassay.errors import BadInput
from kassay.registry import names
from kassay.report.pcp_replayed import REPLAYED_FORMATS, replayed_format


def replay(
    traces: Annotated[
        list[Path], Argument(metavar="TRACE...", help="Files that kassay pcp record wrote, or directories of them.")
    ],
    policy: Annotated[
        str, Option(metavar="NAME,...", help="Policies of the simulator.", show_default="that of the trace's kernel")
    ] = "",
    set_: Annotated[
        list[str] | None, Option("--set", metavar="NAME=VALUE", help="A parameter of the simulator's run.")
    ] = None,
    begin_movable: Annotated[
        bool,
        Option("--begin-movable", help="Take all pages of the lists at the begin for movable ones of order 0, in place "
               "of what the trace shows of each list."),
    ] = False,
    out: Annotated[Path | None, Option(help="Directory for report.html, report.json and report.txt.")] = None,
    format_: Annotated[str, Option("--format", help=f"{listed(names(REPLAYED_FORMATS))}.")] = "terminal",
) -> int:  # fmt: skip
    """Give the page events of a recorded guest to a policy, and compare with what that guest's kernel did.

    Example: kassay pcp replay kassay-out/pages --policy fixed,auto,auto_7_3
    """
    from kassay.commands._show import say, showing
    from kassay.effects.files import write_atomic
    from kassay.pcp.record import SUFFIX
    from kassay.pcp.replay import Asked
    from kassay.pcp.replay import replay as replayed

    form = replayed_format(format_)
    if out is not None and out.exists() and not out.is_dir():
        raise BadInput(f"--out {out}: not a directory", "name a directory")
    paths = [path for given in traces for path in (sorted(given.glob(f"*{SUFFIX}")) if given.is_dir() else [given])]
    if not paths:
        raise BadInput(
            f"{traces[0]}: a directory without page traces", "record some: kassay pcp record WORKLOAD KERNEL"
        )
    policies = tuple(dict.fromkeys(filter(None, policy.split(","))))
    with showing() as tell:
        answer = replayed(paths, Asked(policies, _numbers(set_ or []), not begin_movable), tell)
    for name in ("html", "json", "terminal") if out is not None else ():
        assert out is not None
        write_atomic(out / f"report{replayed_format(name).suffix}", replayed_format(name).render(answer).encode())
    say(form.render(answer))
    if out is not None:
        say(f"report: {out / 'report.html'}\n")
    return 0


def _numbers(texts: list[str]) -> dict[str, int]:
    numbers = {}
    for name, value in (name_and_value(text, "free_high_batch=0") for text in texts):
        if not value.isdecimal():
            raise BadInput(f"--set {name}={value}: not a whole number", "for example --set free_high_batch=0")
        numbers[name] = int(value)
    return numbers
