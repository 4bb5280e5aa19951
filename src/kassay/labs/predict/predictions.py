# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> predictions: the traces of a directory's runs on CPUs, each replayed once and then stored by content."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import msgspec
import zstandard
from msgspec import structs

from kassay.effects.files import cache_directory, write_atomic
from kassay.effects.workers import mapped
from kassay.errors import BadInput, KassayError
from kassay.evidence.profile.counters import ProfileError, RawProfile
from kassay.evidence.profile.totals import intervals_of
from kassay.evidence.profiles import raw_of, report_of, symbols_of
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory
from kassay.labs.predict.calibrate.machine import refuse_another_machine
from kassay.labs.predict.core import core
from kassay.labs.predict.guest import guest_cpu, lacking, needless
from kassay.labs.predict.interval import interval_of, refusals
from kassay.labs.predict.predict import IntervalOf, Nanoseconds, prediction
from kassay.labs.predict.replay import replay_of, version
from kassay.labs.predict.side import OnCpu, Replay, TracedSide
from kassay.labs.predict.timing import Timing, is_shipped, path_of, timing_for, timings
from kassay.labs.predict.trace import disagreements
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.guest import GuestCpu
from kassay.model.plan import Cell
from kassay.model.prediction import TIMINGS, Prediction
from kassay.model.progress import Progress, Tell
from kassay.model.reason import Reason, reason
from kassay.model.records import content_id, from_json, to_json
from kassay.model.run import CellEvidence, RunRecord
from kassay.model.traced_rounds import matching_rounds
from kassay.supply.cpus import spelt

_STORE = "replays"
"""In the cache: replays, each named by the hash of everything that it is made of. A run directory has none, so that
verifying a bundle makes them again."""


def timings_for(cpus: Iterable[str], arch: str) -> dict[str, Timing]:
    """Timing files by their own names. Raises BadInput for a CPU that is not known, or is one of another
    architecture or machine, and for two different files that answers or a run directory could not tell apart."""
    timings: dict[str, Timing] = {}
    named: dict[tuple[str, str], tuple[str, Timing]] = {}
    for cpu in cpus:
        timing = timing_for(cpu)
        if timing.arch != arch:
            raise BadInput(f"CPU {cpu}: is of {timing.arch}, and the kernels are of {arch}", "name one of theirs")
        refuse_another_machine(cpu)
        for key in (("name", timing.name), ("file name", path_of(cpu).stem)):
            other, first = named.setdefault(key, (cpu, timing))
            if first != timing:
                raise BadInput(f"CPUs {other} and {cpu}: two different timing files have the {key[0]} {key[1]}",
                               "name one of them, or give one another file name and another name = in it")  # fmt: skip
        timings[timing.name] = timing
    return timings


def asked_timings(cpus: Iterable[str], arch: str, directory: Path) -> dict[str, Timing]:
    """Timings of the CPUs that a command line names for a run directory.

    The files that it names come before the directory's copies. A copy stands for a name that is not known otherwise.
    Raises BadInput as timings_for() does.
    """
    return timings_for((_known_or_copy(cpu, directory) for cpu in cpus), arch)


def _known_or_copy(cpu: str, directory: Path) -> str:
    copy = _copy_of(cpu, directory)
    if cpu.endswith(".toml") or copy is None:
        return cpu
    try:
        path_of(cpu)
    except BadInput:
        return str(copy)
    return cpu


def _copy_of(cpu: str, directory: Path) -> Path | None:
    """A run directory's copy of a CPU's file, by any spelling of its name; None without."""
    copies = sorted((directory / TIMINGS).glob("*.toml"))
    return next((copy for copy in copies if spelt(copy.stem) == spelt(Path(cpu).stem)), None)


def shipped_for(arch: str) -> tuple[str, ...]:
    """CPUs of an architecture whose timing files every installation has."""
    return tuple(name for name, path in timings().items() if is_shipped(path) and timing_for(name).arch == arch)


def ready_to_predict(cpus: Sequence[str], arch: str) -> None:
    """Raises BadInput or HostLacks where a timing file is missing, or the core model cannot be built."""
    timings_for(cpus, arch)
    core()


def keep_timings(cpus: Iterable[str], directory: Path) -> None:
    """Copies the user's own timing files into the directory, so that it gives the same answer on another host. A file
    that differs from an earlier copy replaces it."""
    for path in map(path_of, cpus):
        copy = directory / TIMINGS / path.name
        if is_shipped(path):
            continue
        data = path.read_bytes()
        if not copy.exists() or copy.read_bytes() != data:
            write_atomic(copy, data)
            timing_for.cache_clear()


def found_timings(
    cpus: Iterable[str], arch: str, directory: Path
) -> tuple[dict[str, Timing], tuple[Prediction, ...]]:  # fmt: skip
    """Timings of the CPUs of a run directory's plan, from the copies in it if it has them, else from timings_for().

    Each CPU that kassay no longer knows gives a refusal in place of a timing.
    """
    timings: dict[str, Timing] = {}
    lacking = []
    for cpu in cpus:
        try:
            timings |= timings_for((str(_copy_of(cpu, directory) or cpu),), arch)
        except BadInput as error:
            why = reason("cpu-not-known", problem=error.what)
            lacking.append(Prediction(cpu=cpu, calibrated=False, refused=why))
    return timings, tuple(lacking)


def with_predictions(
    findings: Sequence[Finding], folder: RunDirectory, records: Iterable[RunRecord], evidence: Sequence[CellEvidence],
    timings: Mapping[str, Timing], tell: Tell, lacking: tuple[Prediction, ...] = (), *, primary_only: bool = False,
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings of counts that have a verdict, with a prediction for each CPU; the others as they are. lacking: of
    found_timings(). primary_only: of primary metrics."""
    traces = Traces(folder, records, evidence)
    wanted = [
        f for f in findings if f.verdict not in REFUSED and f.change is not None and (f.primary or not primary_only)
    ]
    replays = replays_of(folder.path, [traces.of(f, side) for f in wanted for side in f.sides], timings, tell)
    predictions = {
        id(f): (*(_prediction(f, timing, traces, replays) for timing in traces.timings_at(f, timings)), *lacking)
        for f in wanted
    }
    return tuple(structs.replace(f, predictions=predictions[id(f)]) if id(f) in predictions else f for f in findings)


def is_predicted_at(timing: Timing, here: Set[str], anywhere: Set[str]) -> bool:
    """In a matrix of CPUs the time of each is predicted where it was booted, and that of others everywhere. here,
    anywhere: names of the CPUs that were booted."""
    guest = guest_cpu(timing)
    return guest is None or len(here) > 1 or guest.name in here or guest.name not in anywhere


_HUGE = ("range.AnonHugePages", "program.AnonHugePages")


class Traces:
    """Finds the run of a side that recorded a trace."""

    def __init__(self, folder: RunDirectory, records: Iterable[RunRecord], evidence: Sequence[CellEvidence]) -> None:
        self.directory = folder.path
        self._records = {record.run: record for record in records if record.outcome == "ok"}
        self._evidence = {(item.cell.point, item.label): item for item in evidence}
        self._booted = frozenset(_booted(item.cell) for item in evidence)

    def cell(self, f: Finding, side: Side) -> Cell:
        return self._evidence[f.point, side.kernel].cell

    def timings_at(self, f: Finding, timings: Mapping[str, Timing]) -> tuple[Timing, ...]:
        """The CPUs whose time is predicted from the code of this comparison."""
        here = frozenset(_booted(self.cell(f, side)) for side in f.sides)
        return tuple(timing for timing in timings.values() if is_predicted_at(timing, here, self._booted))

    def of(self, f: Finding, side: Side) -> RunRecord | None:
        """The first plain run with a trace."""
        runs = (m.run for m in self._evidence[f.point, side.kernel].measurements if m.plain)
        return next((self._records[run] for run in runs if self._records[run].trace), None)

    def seen(self, f: Finding, side: Side, record: RunRecord) -> GuestCpu | None:
        """The CPU as the run's kernel saw it; None where that was not captured."""
        measured = self._evidence[f.point, side.kernel].measurements
        return next((m.cpu for m in measured if m.run == record.run), None)

    def huge_kb(self, f: Finding, side: Side, record: RunRecord) -> int:
        """Anonymous huge pages of the range or the program, kB: the larger of before and after; 0 if not known."""
        measured = self._evidence[f.point, side.kernel].measurements
        states = (dict(s) for m in measured if m.run == record.run for s in (m.before, m.after))
        values = [state.get(name) or "0" for state in states for name in _HUGE]
        return max((int(value) for value in values if value.isdecimal()), default=0)


def _booted(cell: Cell) -> str:
    """Name by which the CPU of a cell was asked for; "" for the default."""
    return cell.cpu or cell.machine.cpu or ""


def _prediction(f: Finding, timing: Timing, traces: Traces, replays: "Replays") -> Prediction:
    sides = [traced_side(f, side, timing, traces, replays) for side in f.sides]
    guest = guest_cpu(timing)
    cpu = OnCpu(
        name=timing.name, calibrated=timing.learned, ghz=timing.ghz.value, model=model_of(timing),
        weights=timing.interval.weights, guest=guest.name if guest is not None else "", real=guest,
    )  # fmt: skip
    predicted = prediction(f, cpu, sides[0], sides[1], bounded(timing))
    if timing.calibrated and not timing.learned and predicted.interval is not None:
        return structs.replace(predicted, doubts=(*predicted.doubts, reason("no-changes-measured")))
    return predicted


def traced_side(f: Finding, side: Side, timing: Timing, traces: Traces, replays: "Replays") -> TracedSide:
    """A side with its replay on one CPU, and the rounds that its value stands for."""
    record, cpu = traces.of(f, side), _booted(traces.cell(f, side))
    if record is None:
        return TracedSide(None, problem=reason("no-trace", side.kernel), cpu=cpu)
    replay = replays[record.run, timing.name]
    if isinstance(replay, str):
        return TracedSide(
            None, problem=reason("trace-not-usable", side.kernel, run=record.run, problem=replay), cpu=cpu
        )
    report = report_of(traces.directory, record)
    operations = next(phase.operations for phase in report.phases if phase.phase == f.metric)
    replayed = {number: side.rounds[number - 1] for number in replay.rounds if number <= len(side.rounds)}
    chosen = frozenset(matching_rounds(replayed, side.value or 0.0, {number + 1 for number in side.chosen}))
    real, seen = guest_cpu(timing), traces.seen(f, side, record)
    return TracedSide(
        replay, operations, intervals_of(report, f.metric), chosen, cpu=cpu, lacking=lacking(real, seen),
        needless=needless(real, seen), huge_kb=traces.huge_kb(f, side, record),
    )  # fmt: skip


def bounded(timing: Timing) -> IntervalOf:
    """The interval of a change. Published data were not calibrated for any cause: no change is refused, and the
    interval is wide."""
    table = timing.interval

    def of(base: Nanoseconds, head: Nanoseconds) -> "tuple[float, float, float] | Reason":
        shifts = {cause: (base.get(cause, 0.0), head.get(cause, 0.0)) for cause in sorted(base.keys() | head.keys())}
        refused = refusals(table, shifts) if timing.calibrated else ()
        if refused:
            return refused[0]
        interval = interval_of(table, shifts)
        return interval.low - 1, interval.high - 1, interval.level

    return of


def model_of(timing: Timing) -> str:
    """Hash of a timing file's content and of the core model."""
    return hashlib.sha256(f"{content_id(timing)} {version()}".encode()).hexdigest()[:16]


class _Job(NamedTuple):
    directory: Path
    record: RunRecord
    timing: Timing


Replays = dict[tuple[str, str], Replay | str]
"""Replay by run and CPU. A text says why a trace cannot be replayed."""


def replays_of(
    directory: Path, records: Iterable[RunRecord | None], timings: Mapping[str, Timing], tell: Tell
) -> Replays:
    """Every replay that is asked for; those that are not stored yet are made, on all CPUs of this host."""
    once = {record.run: record for record in records if record is not None}
    replays: Replays = {}
    jobs = []
    for job in (_Job(directory, record, timing) for record in once.values() for timing in timings.values()):
        stored = _stored(_path(job))
        if stored is None:
            jobs.append(job)
        else:
            replays[job.record.run, job.timing.name] = stored
    for number, (job, replay) in enumerate(zip(jobs, mapped(_replayed, jobs, many=2), strict=True), 1):
        replays[job.record.run, job.timing.name] = replay
        if isinstance(replay, Replay):
            _store(_path(job), replay)
        text = f"{job.timing.name}, run {job.record.run}"
        tell(Progress(stage="predict", subject=f"{number}/{len(jobs)}", text=text, done=number / len(jobs)))
    return replays


def _replayed(job: _Job) -> Replay | str:
    """One replay; a text that says why where there is none, as the counts are an answer without it."""
    directory, record, timing = job
    assert record.trace is not None
    try:
        report = report_of(directory, record)
        symbols = symbols_of(directory, record, report)
        data = artifacts.get(directory, record.trace)
        replay = replay_of(data, timing, lambda address: symbols.find(address)[0])
        return agreeing(replay, raw_of(directory, record))
    except KassayError as error:
        return f"{error.what} ({error.remedy})" if error.remedy else error.what
    except ProfileError as error:
        return str(error)


def agreeing(replay: Replay, raw: RawProfile | None) -> Replay | str:
    """The rounds that have as many instructions in the trace as in the same run's profile; a text where no round
    has."""
    counts: Counter[tuple[int, int]] = Counter()
    for row in replay.rows:
        counts[row.round, row.interval] += row.instructions
    for key in counts:
        counts[key] //= replay.placements
    for number, interval, executed in replay.others:
        counts[number, interval] += executed
    problems = disagreements(counts, raw, replay.rounds) if raw else {}
    left_out = tuple(problems.values())
    rounds = tuple(number for number in replay.rounds if number not in problems)
    if not left_out:
        return replay
    if not rounds:
        return left_out[0]
    return structs.replace(
        replay, rounds=rounds, left_out=left_out, rows=tuple(row for row in replay.rows if row.round in rounds),
        others=tuple(other for other in replay.others if other[0] in rounds),
    )  # fmt: skip


def _path(job: _Job) -> Path:
    made_of = (job.record.trace, *job.record.symbols, job.record.stream_sha256, model_of(job.timing))
    return cache_directory() / _STORE / f"{hashlib.sha256(repr(made_of).encode()).hexdigest()}.zst"


def _stored(path: Path) -> Replay | None:
    """The stored replay; None where there is none, or a damaged one."""
    try:
        return from_json(zstandard.ZstdDecompressor().decompress(path.read_bytes()), Replay)
    except (OSError, zstandard.ZstdError, msgspec.DecodeError):
        return None


def _store(path: Path, replay: Replay) -> None:
    """Stores a replay. A failure is ignored: it only means that the replay is made again."""
    try:
        write_atomic(path, zstandard.ZstdCompressor(write_checksum=True).compress(to_json(replay)))
    except (OSError, KassayError):
        return
