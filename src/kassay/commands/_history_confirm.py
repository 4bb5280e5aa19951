# SPDX-License-Identifier: GPL-2.0-only
"""Measures a nominated pair again and stores the outcome; the archive is not locked while it measures."""

from pathlib import Path

from kassay import pipeline
from kassay.commands._inputs import check_directory, check_writable_place
from kassay.commands._show import showing
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell
from kassay.tools.history.archive import reading, writing
from kassay.tools.history.nominations import (
    experiment_for,
    judged,
    judged_directories,
    known,
    nominations,
    not_reproducible,
    outcome_in,
    remember,
    why_not,
)
from kassay.tools.history.packed import refuse_packed
from kassay.tools.history.query import SeriesFilter, lines
from kassay.tools.history.records import Confirmation, Nomination


def confirm(name: str, out: Path | None, archive: Path, *, dates: bool, cluster: str = "") -> Confirmation:
    """The stored outcome of a fresh pair, or of the same nomination's pair in `out`.

    Raises HostLacks without an outcome if this host cannot measure it.
    """
    check_directory(out)
    refuse_packed(archive)
    check_writable_place(archive)
    with showing() as tell:
        nomination, experiment, why = _asked(name, archive, dates, tell)
        if experiment is None:
            outcome = not_reproducible(nomination, why)
        else:
            with reading(archive, tell) as open_archive:
                if out is not None and (known := outcome_in(open_archive, name, str(out.absolute()))):
                    return known  # this command was killed behind its verdict
                directory = _fresh(out, name, judged_directories(open_archive))
            outcome = _measured(nomination, experiment, directory, tell, cluster)
        with writing(archive, tell) as open_archive:
            remember(open_archive, outcome)
    return outcome


def _asked(name: str, archive: Path, dates: bool, tell: Tell) -> tuple[Nomination, Experiment | None, str]:
    """The nomination, the experiment that can confirm it or None, and why. Raises BadInput for an unknown name."""
    with reading(archive, tell) as open_archive:
        every = lines(open_archive, SeriesFilter(every_metric=True, dates=dates))
        facts = known(open_archive)
        by_id = {nomination.id: nomination for line in every for nomination in nominations(line, facts)}
        if name not in by_id:
            raise BadInput(f"{name}: no such nomination", f"nominated: {', '.join(list(by_id)[:8]) or 'nothing'}")
        if by_id[name].refusal:
            raise BadInput(
                f"{name}: these kernels were compared, and refused: {by_id[name].refusal}",
                "mend the reason and measure both again; values that do not belong to the same work are no change",
            )
        why = why_not(by_id[name])
        return by_id[name], None if why else experiment_for(open_archive, by_id[name]), why


def _fresh(out: Path | None, name: str, judged: set[str]) -> Path:
    """The directory for the pair: an interrupted measurement is resumed, a pair that was judged is not used again.

    Raises BadInput if --out holds a judged pair of another nomination.
    """
    if out is not None:
        if str(out.absolute()) in judged:
            raise BadInput(f"{out}: holds the pair of another nomination, which was judged", "choose another --out")
        return out
    base, number = Path("kassay-out") / f"confirm-{name}", 1
    directory = base
    while str(directory.absolute()) in judged:
        number += 1
        directory = base.with_name(f"{base.name}-{number}")
    return directory


def _measured(
    nomination: Nomination, experiment: Experiment, directory: Path, tell: Tell, cluster: str
) -> Confirmation:
    """Measures and judges; that a kernel is no longer available is an outcome, too."""
    try:
        pipeline.measure(experiment, directory, tell, cluster=cluster)
    except BadInput as error:
        if (directory / "plan.json").exists():  # the kernels were available, so the user's --out is wrong
            raise
        return not_reproducible(nomination, error.what)
    return judged(nomination, pipeline.answer(directory, tell), str(directory.absolute()))
