# SPDX-License-Identifier: GPL-2.0-only
"""Measures a nominated pair again and keeps the outcome; the archive is not held while it measures."""

from pathlib import Path

from kassay import pipeline
from kassay.commands._show import showing
from kassay.errors import BadInput
from kassay.history.archive import reading, writing
from kassay.history.nominations import (
    confirmations,
    experiment_for,
    judged,
    judged_directories,
    nominations,
    not_reproducible,
    remember,
    why_not,
)
from kassay.history.query import SeriesFilter, lines
from kassay.history.records import Confirmation, Nomination
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell


def confirm(name: str, out: Path | None, archive: Path, *, dates: bool, cluster: str = "") -> Confirmation:
    """The outcome of a fresh pair, as it was kept. What this host lacks is raised, and says nothing of the pair."""
    with showing() as tell:
        nomination, experiment, why = _asked(name, archive, dates, tell)
        if experiment is None:
            outcome = not_reproducible(nomination, why)
        else:
            with reading(archive, tell) as open_archive:
                place = _fresh(out, name, judged_directories(open_archive))
            outcome = _measured(nomination, experiment, place, tell, cluster)
        with writing(archive, tell) as open_archive:
            remember(open_archive, outcome)
    return outcome


def _asked(name: str, archive: Path, dates: bool, tell: Tell) -> tuple[Nomination, Experiment | None, str]:
    """The nomination, and the experiment that can confirm it or why there is none. BadInput when it is not there."""
    with reading(archive, tell) as open_archive:
        known = confirmations(open_archive)
        every = lines(open_archive, SeriesFilter(every_metric=True, dates=dates))
        found = {nomination.id: nomination for line in every for nomination in nominations(line, known)}
        if name not in found:
            raise BadInput(f"{name}: no such nomination", f"nominated: {', '.join(list(found)[:8]) or 'nothing'}")
        why = why_not(found[name])
        return found[name], None if why else experiment_for(open_archive, found[name]), why


def _fresh(out: Path | None, name: str, judged: set[str]) -> Path:
    """Where the pair is measured: one that was interrupted is resumed, one that was judged already is not taken twice.

    Raises BadInput when the user's --out is such a one.
    """
    if out is not None:
        if str(out.absolute()) in judged:
            raise BadInput(f"{out}: holds a pair that was judged before", "choose another --out for a fresh one")
        return out
    base, number = Path("kassay-out") / f"confirm-{name}", 1
    place = base
    while str(place.absolute()) in judged:
        number += 1
        place = base.with_name(f"{base.name}-{number}")
    return place


def _measured(
    nomination: Nomination, experiment: Experiment, directory: Path, tell: Tell, cluster: str
) -> Confirmation:
    """A kernel that cannot be had any more is an outcome, too."""
    try:
        pipeline.measure(experiment, directory, tell, cluster=cluster)
    except BadInput as error:
        if (directory / "plan.json").exists():  # the kernels were found: the user's --out is what is wrong
            raise
        return not_reproducible(nomination, error.what)
    return judged(nomination, pipeline.answer(directory, tell), str(directory.absolute()))
