# SPDX-License-Identifier: GPL-2.0-only
"""The life of steps: found in the history, confirmed by a fresh pair, narrowed, seen again, or taken back."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects import clock
from kassay.effects.files import disk_errors, write_atomic
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.journal.directory import open_directory
from kassay.labs.site.model import taken_back
from kassay.labs.site.pages.addresses import step_path
from kassay.labs.site.turn import status as status_file
from kassay.labs.site.turn import steps_file
from kassay.labs.site.turn.changes import (
    Change,
    changes_of,
    entry_of,
    fixed_before,
    new_changes,
    nomination_of,
    words_of_taking_back,
)
from kassay.labs.site.turn.followed import name_in_reports
from kassay.labs.site.turn.measuring import Budget, Measure, is_of_disk, or_anew
from kassay.labs.site.turn.mistakes import GONE
from kassay.labs.site.turn.narrowing import COMMIT, Between, Narrowed, narrowed
from kassay.labs.site.turn.settings import Lab
from kassay.labs.site.turn.status import Status
from kassay.labs.site.turn.steps_file import Entry
from kassay.model.experiment import Experiment
from kassay.model.progress import Progress, Tell
from kassay.model.report import Report
from kassay.report.formats import format_named
from kassay.report.mail.text import ascii_text
from kassay.tools.history.archive import reading, writing
from kassay.tools.history.nominations import experiment_for, judged, remember
from kassay.tools.history.records import Nomination

_BACK = "is there again"
_UNKNOWN = "Which commit did it is not known: only whole kernels were measured, not the commits between them."


class Means(NamedTuple):
    """Functions that measure, answer and store; stand-ins in tests."""

    measure: Measure
    answer: Callable[[Path, Tell], Report]
    between: Between
    add: Callable[[Path, Tell], None]
    """Adds a run directory to the history."""
    pack: Callable[[Path, Path, Tell], object]
    """Writes a bundle of a run directory to a file that does not exist."""


class Lives:
    """The steps file of a laboratory, and all that moves its entries."""

    def __init__(self, lab: Lab, means: Means, budget: Budget, tell: Tell) -> None:
        self._lab, self._means, self._budget, self._tell = lab, means, budget, tell
        self._path, self._history = Path(lab.steps), Path(lab.history)
        self.narrowed = 0
        """Steps that were narrowed."""

    def nominate(self) -> int:
        """Adds new changes as `found`, and says which later kernel takes a step back. Returns how many
        are new."""
        if not self._history.is_file():
            return 0
        with reading(self._history, self._tell) as archive:
            changes = changes_of(archive)
        today = clock.utc_now()[:10]
        new = new_changes(changes, steps_file.read(self._path))
        for change in new:
            old = fixed_before(change, steps_file.read(self._path), changes)
            text = f"{old.id} was fixed and {_BACK}" if old else ""
            steps_file.add(self._path, entry_of(change, "found", today, text))
        for entry in steps_file.read(self._path):
            later = words_of_taking_back(entry, changes) if entry.is_own else None
            if later is not None and later != taken_back(entry.text):
                kept = [part for part in entry.text.split("; ") if not taken_back(part)]
                steps_file.change(self._path, structs.replace(entry, text="; ".join(filter(None, (*kept, later)))))
        return len(new)

    def confirm(self) -> int:
        """Measures a fresh pair of every step that is `found`; returns how many were judged. Raises Spent."""
        count = 0
        found = [entry for entry in steps_file.read(self._path) if entry.state == "found"]
        changes = self._changes() if found else {}
        for entry in found:
            if entry.id in changes:  # the history may have been made anew, without these kernels
                self._budget.check()
                count += self._confirm(entry, changes[entry.id])
        return count

    def _confirm(self, entry: Entry, change: Change) -> bool:
        nomination, is_of_history, experiment = self._fresh_pair(entry, change)
        directory = self._directory("confirm", entry)
        self._tell(Progress(stage="lab", subject=entry.id, text="a fresh pair"))
        try:
            self._measure(experiment, directory)
        except HostLacks as error:
            if is_of_disk(error):
                raise
            self._tell(Progress(stage="lab", subject=entry.id, text=f"not confirmed yet: {error.what}"))
            return False
        except BadInput as error:  # a kernel is no longer available
            self._move(entry, "undecided", f"{GONE}: {error.what}")
            return True
        report = self._means.answer(directory, self._tell)
        self._judge(entry, nomination, is_of_history, report, directory)
        return True

    def _judge(
        self, entry: Entry, nomination: Nomination, is_of_history: bool, report: Report, directory: Path
    ) -> None:  # fmt: skip
        outcome = judged(nomination, report, str(directory.absolute()))
        if is_of_history:
            with writing(self._history, self._tell) as archive:
                remember(archive, outcome)
        if outcome.outcome != "confirmed":
            self._move(entry, outcome.outcome, outcome.words)
            return
        self._draft(entry, report)
        self._bundle(entry, directory)
        self._move(entry, "back" if _BACK in entry.text else "confirmed", outcome.words)

    def _draft(self, entry: Entry, report: Report) -> None:
        """Writes the draft of a mail; one that is there may have been edited, and stays."""
        path = draft_file(self._lab, entry)
        if not path.exists():
            write_atomic(path, self._mail(entry, report).encode())

    def _redraft(self, entry: Entry, found: Narrowed) -> None:
        """Writes what narrowed a step into the draft of its mail, unless a person edited the draft."""
        path, directory = draft_file(self._lab, entry), self._directory("confirm", entry)
        if not path.is_file() or not (directory / "plan.json").is_file():
            return
        report = self._means.answer(directory, self._tell)
        if path.read_bytes() == self._mail(entry, report).encode():
            write_atomic(path, self._mail(entry, report, found).encode())

    def _mail(self, entry: Entry, report: Report, found: Narrowed | None = None) -> str:
        """The mail about a step that a fresh pair confirmed. found: what narrowed it."""
        lead = report.lead
        if found is not None:
            lead = structs.replace(
                lead, mail_also=(*lead.mail_also, f"A search between the two: {ascii_text(found.text)}."),
                mail_open=() if found.text.startswith(COMMIT) else (_UNKNOWN,),
                introduced=(found.introduced, "found by bisection") if found.introduced else None,
            )  # fmt: skip
        if self._lab.address:
            page = f"{self._lab.address.rstrip('/')}/{step_path(*entry.pair)}/"
            text = f"Page of this change, with its evidence: {page}"
            lead = structs.replace(lead, mail_also=(*lead.mail_also, text))
        return format_named("mail").render(structs.replace(report, lead=lead))

    def _bundle(self, entry: Entry, directory: Path) -> None:
        """Packs the fresh pair for the page of the step. A bundle that is there was published, and stays."""
        path = bundle_file(self._lab, entry)
        if not self._lab.bundles or path.exists():
            return
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._means.pack(directory, path, self._tell)
        except BadInput as error:
            self._tell(Progress(stage="lab", subject=entry.id, text=f"no bundle: {error.what}"))

    def narrow(self, status: Status) -> Status:
        """Searches for the release or the commit of every confirmed step. Raises Spent."""
        now = clock.utc_now()
        confirmed = [
            one for one in steps_file.read(self._path) if one.state == "confirmed" and not status.failed(one.id, now)
        ]
        changes = self._changes() if confirmed else {}
        for entry in confirmed:
            self._budget.check()
            status = self._narrow(entry, changes.get(entry.id), status)
            status_file.write(Path(self._lab.status), status)
        return status

    def _narrow(self, entry: Entry, change: Change | None, status: Status) -> Status:
        experiment = self._confirming(entry, change)
        if experiment is None:
            return status
        self._tell(Progress(stage="lab", subject=entry.id, text="narrowing"))
        directory = self._directory("narrow", entry)
        telling = self._budget.telling(self._tell)
        try:
            measure, range_ = self._means.measure, self._means.between
            found = narrowed(experiment, directory, measure, telling, range_, self._lab.leave_out)
        except KassayError as error:
            if is_of_disk(error):
                raise
            soon = isinstance(error, HostLacks)
            return status.with_failure(entry.id, f"not narrowed: {error.what}", clock.utc_now(), "step", soon=soon)
        if found.directory is None:
            return status.with_failure(entry.id, f"not narrowed: {found.text}", clock.utc_now(), "step")
        self._means.add(found.directory, self._tell)
        self._redraft(entry, found)
        self._move(entry, "narrowed", found.text)
        self.narrowed += 1
        return status.without_failures(entry.id)

    def _confirming(self, entry: Entry, change: Change | None) -> Experiment | None:
        """The experiment of the pair that confirmed a step, or of a pair like it if another place has its runs."""
        directory = self._directory("confirm", entry)
        if (directory / "plan.json").is_file():
            return open_directory(directory).plan.experiment
        return None if change is None else self._fresh_pair(entry, change)[2]

    def _changes(self) -> dict[str, Change]:
        """The changes of the history by their steps' names; none without a history."""
        if not self._history.is_file():
            return {}
        with reading(self._history, self._tell) as archive:
            return {change.id: change for change in changes_of(archive)}

    def _fresh_pair(self, entry: Entry, change: Change) -> tuple[Nomination, bool, Experiment]:
        """The nomination of a change, nomination_of()'s second value, and the pair that confirms it."""
        with reading(self._history, self._tell) as archive:
            nomination, is_of_history = nomination_of(archive, change)
            return nomination, is_of_history, _named(experiment_for(archive, nomination), (entry.before, entry.after))

    def _measure(self, experiment: Experiment, directory: Path) -> None:
        """Makes the missing runs."""
        or_anew(lambda: self._means.measure(experiment, directory, self._budget.telling(self._tell)), directory)

    def _directory(self, what: str, entry: Entry) -> Path:
        return Path(self._lab.runs) / what / file_name(entry.id)

    def _move(self, entry: Entry, state: str, words: str) -> None:
        """Gives an entry another state, unless a person took it in hand meanwhile."""
        now = next((one for one in steps_file.read(self._path) if one.id == entry.id), None)
        if now is None or not now.is_own:
            return
        kept = [part for part in now.text.split("; ") if _BACK in part or taken_back(part)]
        text = "; ".join([words, *kept])
        steps_file.change(self._path, structs.replace(now, state=state, text=text, since=clock.utc_now()[:10]))
        self._tell(Progress(stage="lab", subject=entry.id, text=f"{state}: {words}"))


def _named(experiment: Experiment, keys: tuple[str, str]) -> Experiment:
    """The experiment with builds called by their tree and commit."""
    uses = zip(experiment.kernels, keys, strict=True)
    kernels = tuple(structs.replace(use, name=name_in_reports(use.ref, key)) for use, key in uses)
    return structs.replace(experiment, kernels=kernels)


def draft_file(lab: Lab, entry: Entry) -> Path:
    """The draft of a step's mail."""
    return Path(lab.outbox, f"{file_name(entry.id)}.mail")


def bundle_file(lab: Lab, entry: Entry) -> Path:
    """The bundle of a step, below the site."""
    return Path(lab.site, "bundle", f"{file_name(entry.id)}.tar.zst")


def file_name(identity: str) -> str:
    """A step's id as the name of a file."""
    return "".join(c if c.isalnum() or c in "-_.,=+~" else "_" for c in identity)
