# SPDX-License-Identifier: GPL-2.0-only
"""Run directory -> its progress: counts from the journal, values from the runs that were made so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from msgspec import structs

from kassay import __version__
from kassay.analysis.analyse import analyse, with_itself
from kassay.analysis.planned_looks import last_look
from kassay.effects import lock
from kassay.errors import KassayError
from kassay.evidence.collect import collect
from kassay.evidence.hosts import hosts_of
from kassay.journal.directory import BESIDE, RunDirectory, open_directory
from kassay.journal.host_blocks import counted_records
from kassay.journal.journal import read_journal
from kassay.journal.run_counter import RunCounter
from kassay.model.experiment import labels
from kassay.model.finding import Finding
from kassay.model.machine import Point
from kassay.model.plan import Plan
from kassay.model.progress import RunCounts
from kassay.model.run import Measurement, RunRecord
from kassay.model.status import Attempt, PointUnit, RunStatus, ValueSoFar
from kassay.report.overview import FROM
from kassay.report.sentences import verdict_of
from kassay.report.words import point_names, short_kernel_names
from kassay.spec.rules import question_of
from kassay.supply.clocks import clock_of

_LAST, _FAILURES = 12, 20
_SENTENCES = 1
"""With more points than this there is no verdict in words, only the table."""
_DEPTH = 3
REPORT = "report.html"


class _Values(NamedTuple):
    """Values of the runs made so far."""

    findings: tuple[Finding, ...] = ()
    verdict: str = ""
    decided: bool = False
    """True if the remaining runs cannot change an answer any more."""


@dataclass(kw_only=True)
class _Read:
    """Everything that was read of one plan and its runs."""

    plan_file: tuple[int, int]
    """Inode and time of plan.json. A directory that is removed and started anew has another file."""
    folder: RunDirectory
    measurements: dict[str, Measurement] = field(default_factory=dict)
    progress: int = -1
    """See _renew()."""
    values: _Values = field(default_factory=_Values)


class Watched:
    """One run directory; each run's files are read only once."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self._report = (path.parent if path.name == BESIDE else path) / REPORT
        self._read: _Read | None = None

    def status(self) -> RunStatus | None:
        """The status now; None before there is a plan."""
        try:
            file = (self.path / "plan.json").stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return self._status((file.st_ino, file.st_mtime_ns))
        except KassayError as error:
            return _damaged(self, error)

    def _status(self, plan_file: tuple[int, int]) -> RunStatus:
        if self._read is None or self._read.plan_file != plan_file:
            self._read = _Read(plan_file=plan_file, folder=open_directory(self.path))
        read, folder = self._read, self._read.folder
        records = read_journal(folder.journal, folder.plan_id) if _started(folder.journal) else ()
        process = lock.holder(self.path / "lock")
        note = _renew(read, records, measuring=process is not None)
        return _status(self, folder, records, process, read.values, note)

    @property
    def fresh_report(self) -> Path | None:
        """The report, where it is newer than the last run, also than those of the directory beside it."""
        directories = {self.path, self._report.parent, self._report.parent / BESIDE}
        written = [path.stat().st_mtime_ns for one in directories if (path := one / "journal.jsonl").exists()]
        if not (self._report.exists() and written):
            return None
        return self._report if self._report.stat().st_mtime_ns >= max(written) else None


def _renew(read: _Read, records: tuple[RunRecord, ...], *, measuring: bool) -> str:
    """Reads new values, if any; returns a note: why there are none, or of which look they are.

    Reading uses this host's CPUs, and values between two looks must not be shown. So nothing is read while time is
    measured on this host; while it is measured on other hosts, values are read once for each look.

    progress: number of records, or the boots of the last look while time is measured.
    """
    plan = read.folder.plan
    progress, note = len(records), ""
    if plan.experiment.timed:
        note = "Times are judged at planned numbers of boots only, and values shown are those of the last look."
        if measuring and not any(record.host for record in records):
            return "Time is being measured on this host: values are read when it ends, as reading them takes CPUs."
        if measuring:
            finished = {record.run for record in counted_records(plan, records) if record.outcome == "ok"}
            lost = {record.run for record in records if record.attempt > plan.experiment.retries} - finished
            progress = last_look(plan, finished, lost) or 0
    if progress != read.progress and records:
        read.values = _values_so_far(read, counted_records(plan, records))
        read.progress = progress
    return note


def _values_so_far(read: _Read, records: tuple[RunRecord, ...]) -> _Values:
    plan = read.folder.plan
    evidence = collect(read.folder, records, known=read.measurements)
    comparisons = analyse(plan, evidence, question_of(plan.experiment), primary_only=True)
    verdict = ""
    if comparisons.findings and len({finding.point for finding in comparisons.findings}) <= _SENTENCES:
        verdict = verdict_of(plan, comparisons.findings, comparisons.ladders, comparisons.families)
    return _Values(comparisons.findings or with_itself(plan, evidence), verdict, comparisons.decided)


class Watch:
    """A run directory with its timed runs, or a directory that holds several, such as that of a search."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._watched: dict[str, Watched] = {}
        self.find()

    def find(self) -> tuple[Watched, ...]:
        """Every run directory that exists now, sorted by name."""
        for path in _plans(self.directory):
            name = str(path.relative_to(self.directory))
            self._watched.setdefault(name, Watched(path, name))
        return tuple(self._watched[name] for name in sorted(self._watched))

    def named(self, name: str) -> Watched | None:
        """One of the directories that find() returned."""
        return self._watched.get(name)


def _plans(directory: Path) -> Sequence[Path]:
    """Directories with a plan, at most _DEPTH levels down."""
    if (directory / "plan.json").exists():
        return [path for path in (directory, directory / BESIDE) if (path / "plan.json").exists()]
    patterns = ("/".join(["*"] * depth) for depth in range(1, _DEPTH + 1))
    return [path.parent for pattern in patterns for path in directory.glob(f"{pattern}/plan.json")]


def _started(journal: Path) -> bool:
    return journal.exists() and journal.stat().st_size > 0


def _status(watched: Watched, folder: RunDirectory, records: tuple[RunRecord, ...], process: int | None,
            values: _Values, note: str) -> RunStatus:  # fmt: skip
    plan, path = folder.plan, folder.path
    counter = RunCounter(plan, short_kernel_names(plan.experiment), point_names(plan), counted_records(plan, records))
    counts = counter.counts()
    owed = sum(cell.planned - cell.ok - cell.lost for cell in counts.cells)
    state = "measuring" if process is not None else "stopped" if owed and not values.decided else "measured"
    if state == "measured" and watched.fresh_report is not None:
        state = "answered"
    attempts = _attempts(plan, records)
    names = list(dict.fromkeys(use.name for use in plan.experiment.workloads))
    work = ", ".join(names) if len(names) < FROM else f"{len(names)} workloads"
    points = tuple(dict.fromkeys(cell.point for cell in plan.cells))
    if values.decided:
        counts = structs.replace(counts, left_s=None)
    return RunStatus(
        name=watched.name, directory=str(path), state=state, process=process,
        title=question_of(plan.experiment).title(work, short_kernel_names(plan.experiment)),
        machine=f"{plan.machine.arch}, clock {plan.machine.clock}, {plan.machine.program}",
        scope=clock_of(plan.experiment.clock).scope, counts=counts, owed=owed, unneeded=values.decided,
        values=_values(plan, points, values.findings), values_note=note, units=_units(plan, points),
        verdict=values.verdict, hosts=hosts_of(folder, records),
        last=attempts[:_LAST],
        failures=tuple(attempt for attempt in attempts if attempt.outcome != "ok")[:_FAILURES],
        again=f"kassay run {quote(str(path / 'spec.toml'))} --out {quote(str(path))}",
        started_utc=min((record.started_utc for record in records), default=""), kassay_version=__version__,
    )  # fmt: skip


def _damaged(watched: Watched, error: KassayError) -> RunStatus:
    """The status of a directory that cannot be read; its note says why."""
    return RunStatus(
        name=watched.name, directory=str(watched.path), state="damaged", process=None, title=watched.path.name,
        machine="", scope="", counts=RunCounts(points=(), kernels=(), cells=()), owed=0, unneeded=False, values=(),
        values_note=str(error), units=(), verdict="", hosts=(), last=(), failures=(), again="", started_utc="",
        kassay_version=__version__,
    )  # fmt: skip


def _attempts(plan: Plan, records: tuple[RunRecord, ...]) -> tuple[Attempt, ...]:
    """Newest first."""
    indices = {point: index for index, point in enumerate(dict.fromkeys(cell.point for cell in plan.cells))}
    cells = {cell.id: cell for cell in plan.cells}
    of_run = {run.id: cells[run.cell] for run in plan.runs}
    return tuple(
        Attempt(
            point=indices[of_run[record.run].point], kernel=of_run[record.run].kernel, host=record.host or "",
            outcome=record.outcome, detail=record.detail, seconds=sum(structs.astuple(record.wall)),
            started_utc=record.started_utc,
        )
        for record in reversed(records)
    )  # fmt: skip


def _values(plan: Plan, points: Sequence[Point], findings: Sequence[Finding]) -> tuple[ValueSoFar, ...]:
    """One for each cell that has a value, with its first comparison."""
    kernels = {label: index for index, label in enumerate(labels(plan.experiment))}
    values: dict[tuple[int, int], ValueSoFar] = {}
    for finding in (f for f in findings if f.primary):
        for is_head, side in enumerate(finding.sides):
            if side.value is None:
                continue
            key = points.index(finding.point), kernels[side.kernel]
            compared = is_head and finding.sides[0].kernel != side.kernel
            value = ValueSoFar(
                point=key[0], kernel=key[1], value=side.value, n=len(side.runs),
                change=finding.change if compared else None, verdict=finding.verdict if compared else "",
                evidence=finding.evidence if compared else "",
            )  # fmt: skip
            if key not in values or (compared and not values[key].verdict):
                values[key] = value
    return tuple(values[key] for key in sorted(values))


def _units(plan: Plan, points: Sequence[Point]) -> tuple[PointUnit, ...]:
    phases = {workload.name: next(p for p in workload.phases if p.primary) for workload in plan.workloads}
    unit = clock_of(plan.experiment.clock).unit
    of_points = (phases[point.workload] for point in points)
    return tuple(PointUnit(metric=phase.name, unit=f"{unit}/{phase.operation}") for phase in of_points)
