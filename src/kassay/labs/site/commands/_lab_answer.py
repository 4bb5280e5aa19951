# SPDX-License-Identifier: GPL-2.0-only
"""`kassay lab`: read the file, take turns, and say what each did."""

from collections.abc import Iterator
from pathlib import Path

from kassay.commands._inputs import check_directory
from kassay.commands._show import say, showing
from kassay.effects import clock
from kassay.labs.site.turn.settings import load, seconds
from kassay.labs.site.turn.turn import Outside, Turned, planned, turn


def answer(file: Path, *, once: bool, plan: bool, budget: str | None, out: Path | None) -> int:
    """Takes turns until it is ended; returns the exit status. Raises BadInput, HostLacks."""
    if out is not None:
        check_directory(out)
    lab = load(file, out)
    budget_s = None if budget is None else seconds(budget, "--budget")
    if plan:
        with showing() as tell:
            lines = planned(lab, Outside(), tell)
        say("".join(f"{line}\n" for line in lines))
        return 0
    while True:
        with showing() as tell:
            turned = turn(lab, Outside(), tell, budget_s)
        say("".join(f"{line}\n" for line in _lines(turned)))
        if once:
            return 0
        clock.sleep(seconds(lab.every, "every"))


def _lines(turned: Turned) -> Iterator[str]:
    """Result of a turn, one fact a line."""
    yield from (f"measured {text}" for text in turned.measured)
    if not turned.measured:
        yield "measured nothing: no pair is missing" if not turned.missing else "measured nothing"
    if turned.found or turned.confirmed:
        yield f"steps: {turned.found} found, {turned.confirmed} measured again"
    if turned.missing:
        more = ", the budget is used up" if turned.spent else ""
        yield f"still missing: {len(turned.missing)} pairs{more}"
    yield from (f"note: {note}" for note in turned.notes)
