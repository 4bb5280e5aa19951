# SPDX-License-Identifier: GPL-2.0-only
"""`kassay lab`: read the file, take turns, and say what each did."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from kassay import pipeline
from kassay.commands._experiment import cpus_to_predict
from kassay.commands._inputs import check_directory
from kassay.commands._show import say, showing
from kassay.effects import clock
from kassay.errors import BadInput
from kassay.labs.site.turn.settings import load, seconds
from kassay.labs.site.turn.turn import Outside, Turned, planned, turn
from kassay.model.texts import counted


def answer(file: Path, *, once: bool, plan: bool, budget: str | None, out: Path | None, cluster: str) -> int:
    """Takes turns until it is ended; returns the exit status. Raises BadInput, HostLacks."""
    if out is not None:
        check_directory(out)
    lab = load(file, out)
    for arch in lab.arches:
        if names := lab.cpus_of(arch):
            try:
                cpus_to_predict(",".join(names), arch)
            except BadInput as error:
                raise BadInput(f"{file}: cpus: {error.what}", error.remedy) from error
    budget_s = None if budget is None else seconds(budget, "--budget")
    outside = Outside(measure=partial(pipeline.measure, cluster=cluster))
    if plan:
        with showing() as tell:
            lines = planned(lab, outside, tell)
        say("".join(f"{line}\n" for line in lines))
        return 0
    while True:
        with showing() as tell:
            turned = turn(lab, outside, tell, budget_s)
        say("".join(f"{line}\n" for line in words(turned)))
        if once:
            return 0
        clock.sleep(seconds(lab.every, "every"))


def words(turned: Turned) -> Iterator[str]:
    """Result of a turn, one fact a line."""
    steps = [
        f"{count} {word}"
        for count, word in (
            (turned.found, "found"), (turned.confirmed, "measured again"), (turned.narrowed, "narrowed"),
        ) if count
    ]  # fmt: skip
    yield from (f"measured {text}" for text in turned.measured)
    if turned.missing:
        yield f"still missing: {counted(len(turned.missing), 'pair')}"
    elif not turned.measured and not steps and not turned.spent:
        yield "measured nothing: no pair is missing"
    if steps:
        yield f"steps: {', '.join(steps)}"
    if turned.spent:
        yield "the budget is used up; every finished run is kept, and the next turn goes on"
    yield from (f"note: {note}" for note in turned.notes)
