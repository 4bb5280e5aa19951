# SPDX-License-Identifier: GPL-2.0-only
"""One turn of a laboratory: look, measure, add, confirm, narrow, publish. After a kill the next one goes on."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay import pipeline
from kassay.effects import clock
from kassay.effects.files import disk_errors
from kassay.effects.lock import locked, refusing
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.journal.directory import CULPRIT, open_directory
from kassay.labs.site.model import Site
from kassay.labs.site.pages.build import write_site
from kassay.labs.site.pages.publish import check_place
from kassay.labs.site.sources import remember_sources
from kassay.labs.site.turn import mistakes, steps_file
from kassay.labs.site.turn import status as status_file
from kassay.labs.site.turn.followed import Line, lines_of
from kassay.labs.site.turn.lives import Lives, Means
from kassay.labs.site.turn.measuring import (
    Budget,
    Fetch,
    KernelFailed,
    Measure,
    Spent,
    fetched,
    is_of_disk,
    measure_pair,
)
from kassay.labs.site.turn.narrowing import Between
from kassay.labs.site.turn.pairs import Pair, failure_of, missing_pairs, runs_to_make, workload_texts
from kassay.labs.site.turn.publish import site_of
from kassay.labs.site.turn.settings import Lab
from kassay.labs.site.turn.status import Finished, Status, Waiting
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import Record
from kassay.model.report import Report
from kassay.model.texts import counted
from kassay.model.units import format_duration
from kassay.tools.bundle.pack import pack
from kassay.tools.history.add import add
from kassay.tools.history.archive import Archive, reading, writing
from kassay.tools.history.gather import gather
from kassay.tools.search.candidates import between


class Outside(NamedTuple):
    """Functions that reach beyond the laboratory's files; stand-ins in tests."""

    lines: Callable[[Lab, Tell], tuple[tuple[Line, ...], tuple[str, ...]]] = lines_of
    measure: Measure = pipeline.measure
    fetch: Fetch = fetched
    answer: Callable[[Path, Tell], Report] = pipeline.answer
    between: Between = between
    pack: Callable[[Path, Path, Tell], object] = pack
    name_sources: Callable[[Archive, Tell], None] = remember_sources
    write_site: Callable[[Site, Path, Tell], object] = write_site


class Turned(Record, frozen=True, kw_only=True):
    """Result of a turn."""

    measured: tuple[str, ...] = ()
    """Pairs that were finished, in words."""
    missing: tuple[str, ...] = ()
    """Pairs that are still missing."""
    found: int = 0
    confirmed: int = 0
    narrowed: int = 0
    notes: tuple[str, ...] = ()
    """Failures, and sources that could not be looked up, in words."""
    spent: bool = False
    """True if the budget ended the turn."""


_RUNS_OF_A_FRESH_PAIR = 8
"""Two plain and two perturbed runs of both kernels."""


def planned(lab: Lab, outside: Outside, tell: Tell = silent) -> tuple[str, ...]:
    """Pairs and steps that a turn would measure, with estimates."""
    status, now = status_file.read(Path(lab.status)), clock.utc_now()
    _check_files(lab)
    lines, notes = outside.lines(lab, tell)
    pairs = missing_pairs(lines, lab, status, now)
    runs = _runs(pairs, lab, status)

    def costing(count: int) -> str:
        return f"{counted(count, 'run')}, about {format_duration(count * status.pace_s, minutes_from=90)}"

    steps = [one for one in steps_file.read(Path(lab.steps)) if not status.failed(one.id, now)]
    found = sum(one.state == "found" for one in steps)
    confirmed = sum(one.state == "confirmed" for one in steps)
    work = [f"{pair.text}: {costing(count)}" for pair, count in zip(pairs, runs, strict=True)]
    work += [f"all {len(pairs)} pairs: {costing(sum(runs))}"] * (len(pairs) > 1)
    work += [f"{counted(found, 'step')} to confirm, a fresh pair each: {costing(found * _RUNS_OF_A_FRESH_PAIR)}"] * (
        found > 0
    )
    work += [f"{counted(confirmed, 'step')} to narrow, if the archive or the tree has kernels between"] * (
        confirmed > 0
    )
    is_followed = any(len(line.kernels) > 1 for line in lines)
    return (*notes, *(work or ["nothing is missing" if is_followed else "nothing to measure: there is no pair"]))


def _check_files(lab: Lab) -> None:
    """Raises BadInput for an error in a file, before anything is measured."""
    steps_file.read(Path(lab.steps))
    mistakes.written(Path(lab.steps))
    check_place(Path(lab.site))
    if Path(lab.history).is_file():
        try:
            with reading(Path(lab.history)):
                pass
        except BadInput as error:
            raise BadInput(error.what, "move it away; the next turn makes the history again from the runs") from error


def turn(lab: Lab, outside: Outside, tell: Tell, budget_s: float | None = None) -> Turned:
    """One turn. Raises HostLacks if another laboratory works here, or if the disk is full."""
    with disk_errors(Path(lab.runs)):
        Path(lab.runs).mkdir(parents=True, exist_ok=True)
    with locked(Path(lab.runs, "lab.lock"), refusing(lab.runs, "choose another directory with --out")):
        return _Turn(lab, outside, Budget(lab.budget_s if budget_s is None else budget_s), tell).run()


class _Turn:
    def __init__(self, lab: Lab, outside: Outside, budget: Budget, tell: Tell) -> None:
        self._lab, self._outside, self._budget, self._tell = lab, outside, budget, tell
        self._status_path = Path(lab.status)
        self._status = status_file.read(self._status_path)
        means = Means(outside.measure, outside.answer, outside.between, self._add, outside.pack)
        self._lives = Lives(lab, means, budget, tell)
        self._notes: list[str] = []
        self._measured: list[str] = []
        self._found = self._confirmed = 0

    def run(self) -> Turned:
        _check_files(self._lab)
        lines, notes = self._outside.lines(self._lab, self._tell)
        self._notes += notes
        self._look(lines)
        self._restore_history()
        spent = False
        try:
            self._measure(lines)
            self._judge()
            self._status = self._lives.narrow(self._status)
        except Spent:
            spent = True
            self._status = status_file.read(self._status_path)  # narrow() keeps what failed before the budget ended
        self._found += self._lives.nominate()  # also of what was added last
        self._keep(structs.replace(self._status, turn_utc=clock.utc_now()))
        missing = self._look(lines)
        if Path(self._lab.history).is_file():
            with writing(Path(self._lab.history), self._tell) as archive:
                self._outside.name_sources(archive, self._tell)
        site = site_of(self._lab, self._status, missing, self._tell)
        if site is not None:
            self._outside.write_site(site, Path(self._lab.site), self._tell)
        return Turned(
            measured=tuple(self._measured), missing=tuple(pair.text for pair in missing), found=self._found,
            confirmed=self._confirmed, narrowed=self._lives.narrowed, notes=tuple(self._notes), spent=spent,
        )  # fmt: skip

    def _restore_history(self) -> None:
        """Adds every finished directory again if the history is gone, those that are damaged excepted. The history gets
        its name at the end, so that a turn after a kill begins again."""
        history, runs = Path(self._lab.history), Path(self._lab.runs)
        if history.exists():
            return
        part = history.with_name(f"{history.name}.part")
        _forget(part)
        directories = [runs / done.directory for done in self._status.finished]
        for directory in (*directories, *sorted(runs.glob(f"narrow/*/{CULPRIT}"))):
            if (directory / "plan.json").is_file():
                try:
                    self._add(directory, self._tell, part)
                except BadInput as error:
                    self._notes.append(f"not in the history that was made again: {error.what}")
        if part.exists():
            with disk_errors(history):
                part.rename(history)
                _forget(part)

    def _missing(self, lines: Sequence[Line]) -> tuple[Pair, ...]:
        return missing_pairs(lines, self._lab, self._status, clock.utc_now())

    def _look(self, lines: Sequence[Line]) -> tuple[Pair, ...]:
        """The missing pairs; notes since when each is."""
        missing, now = self._missing(lines), clock.utc_now()
        since = {waiting.directory: waiting.since_utc for waiting in self._status.waiting}
        waiting = tuple(Waiting(directory=p.directory, since_utc=since.get(p.directory, now)) for p in missing)
        self._keep(structs.replace(self._status, waiting=waiting))
        return missing

    def _measure(self, lines: Sequence[Line]) -> None:
        """Measures what is missing, pair by pair, the newest first. What fails changes which pairs are missing."""
        while pairs := self._missing(lines):
            self._budget.check()
            self._pair(pairs[0], len(pairs))

    def _pair(self, pair: Pair, left: int) -> None:
        runs = _runs([pair], self._lab, self._status)[0]
        time = format_duration(runs * self._status.pace_s, minutes_from=90)
        about = f"needs {counted(runs, 'run')}, about {time}; {counted(left, 'pair')} to go"
        self._tell(Progress(stage="lab", subject=pair.text, text=about))
        begun = clock.monotonic_s()
        try:
            directory = measure_pair(
                pair, self._lab, self._outside.measure, self._outside.fetch, self._budget, self._tell
            )
        except KernelFailed as error:
            self._fail(failure_of(pair, error.kernel), f"{error.kernel.ref}: {error.why}", "kernel", soon=error.soon)
            return
        except KassayError as error:
            if is_of_disk(error):
                raise
            self._fail(pair.directory, f"{pair.text}: {error.what}", "pair", soon=isinstance(error, HostLacks))
            return
        self._add(directory, self._tell)
        measured = workload_texts(open_directory(directory).plan.experiment.workloads)
        done = Finished(
            directory=pair.directory, utc=clock.utc_now(), runs=runs, seconds=clock.monotonic_s() - begun,
            workloads=measured,
        )  # fmt: skip
        worked = (pair.directory, *(failure_of(pair, kernel) for kernel in (pair.before, pair.after)))
        self._keep(self._status.with_finished(done).without_failures(*worked))
        self._measured.append(pair.text)

    def _fail(self, what: str, why: str, kind: str, *, soon: bool = False) -> None:
        self._keep(self._status.with_failure(what, why, clock.utc_now(), kind, soon=soon))
        self._notes.append(why)
        self._tell(Progress(stage="lab", subject=what, text=f"left out for {'an hour' if soon else 'a day'}: {why}"))

    def _judge(self) -> None:
        """Steps of what was added."""
        self._found += self._lives.nominate()
        self._confirmed += self._lives.confirm()

    def _add(self, directory: Path, tell: Tell, history: Path | None = None) -> None:
        batch = gather(directory, tell)
        with writing(history or Path(self._lab.history), tell) as archive:
            add(archive, batch)

    def _keep(self, status: Status) -> None:
        if status != self._status:
            status_file.write(self._status_path, status)
        self._status = status


def _forget(history: Path) -> None:
    """Removes a history that has not got its name yet, with the files that the database keeps beside it."""
    for suffix in ("", ".wal", ".lock"):
        history.with_name(history.name + suffix).unlink(missing_ok=True)


def _runs(pairs: Sequence[Pair], lab: Lab, status: Status) -> list[int]:
    """Runs that each pair needs if they are measured in this order."""
    directories = [done.directory for done in status.finished]
    runs = []
    for pair in pairs:
        runs.append(runs_to_make(pair, lab, directories))
        directories.append(pair.directory)
    return runs
