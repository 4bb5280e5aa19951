# SPDX-License-Identifier: GPL-2.0-only
"""The traces of a directory -> curves of throughput by number of CPUs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.workers import mapped
from kassay.errors import BadInput, KassayError
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profiles import report_of, symbols_of
from kassay.journal import artifacts
from kassay.labs.predict.asked import asked
from kassay.labs.predict.contention.loads import Chosen, Guest, Sequenced, lock_uses, on_large_machine, sequenced
from kassay.labs.predict.contention.queues import ASSUMED, FEWEST, MOST, Level, Load, Machine, contended
from kassay.labs.predict.contention.scale_model import Scaled, ScalePoint, Waiting
from kassay.labs.predict.contention.watched import Uses, uses_of
from kassay.labs.predict.predictions import Replays, Traces, traced_side
from kassay.labs.predict.side import OnCpu, side_time
from kassay.labs.predict.timing import Timing
from kassay.model.finding import Finding, Side
from kassay.model.progress import Progress, Tell
from kassay.model.reason_texts import reason_text
from kassay.model.run import RunRecord
from kassay.model.texts import listed

ABSOLUTE = {True: 1.25, False: 2.0}
"""By whether a CPU was calibrated, the factor within which the time of a path is taken to be known."""
_ELSEWHERE_MOST, _SLEEP_MOST, _OPEN_REPORTED, _BEND, _PEAK = 0.05, 0.02, 0.05, 0.5, 1.02


class Wanted(NamedTuple):
    """Numbers of CPUs to predict for, and how the work grows with them."""

    counts: tuple[int, ...]
    """Numbers of CPUs."""
    scale_as: str
    """PROCESSES or THREADS."""
    shared: tuple[str, ...]
    """Functions whose locks are shared by all CPUs."""


class _Job(NamedTuple):
    directory: Path
    record: RunRecord
    timing: Timing
    guest: Guest
    chosen: Chosen
    wanted: Wanted
    answer: Scaled


def machine_of(timing: Timing, end: int = ASSUMED) -> Machine:
    """How lines move on a CPU; at their fastest, as published, or at their slowest."""

    def ps(level_ns: tuple[float, float, float]) -> int:
        return round(level_ns[end] * 1000)

    levels = tuple(Level(level.cpus, ps((level.ns.low, level.ns.value, level.ns.high))) for level in timing.lines)
    return Machine(levels, next(level.cpus for level in timing.lines if level.within == "socket"))


def check_counts(timings: Mapping[str, Timing], counts: Sequence[int]) -> None:
    """Raises BadInput for a CPU without line transfers, or with fewer CPUs than are asked for."""
    for timing in timings.values():
        if not timing.lines:
            have = "add [[lines]] to the timing file (docs/reference/calibrate.md), or name another CPU"
            raise BadInput(f"--scale: {timing.name} has no [[lines]]: how long a cache line takes between CPUs", have)
        most = timing.lines[-1].cpus
        if max(counts) > most:
            raise BadInput(f"--scale {max(counts)}: the largest machine of {timing.name} has {most} CPUs",
                           f"ask for at most {most}")  # fmt: skip


def counts_from(text: str, timings: Mapping[str, Timing]) -> tuple[int, ...]:
    """Numbers of CPUs: "1,2,4,8", or "1..224": then the ends, powers of two and whole core complexes and sockets
    between. Raises BadInput."""
    try:
        if ".." in text:
            low, high = (int(word) for word in text.split(".."))
            groups = {level.cpus for timing in timings.values() for level in timing.lines}
            inner = {1 << n for n in range(12)} | {3 << n for n in range(11)} | {
                group * n for group in groups for n in range(1, 9)
            }  # fmt: skip
            counts = {low, high} | {count for count in inner if low < count < high}
        else:
            counts = {int(word) for word in text.split(",")}
    except ValueError:
        counts = set()
    if not counts or min(counts) < 1 or (".." in text and low > high):
        raise BadInput(f"--scale {text}: not numbers of CPUs", "give a range such as 1..224, or a list such as 1,2,4,8")
    return tuple(sorted(counts))


def scaled(
    sides: Sequence[tuple[Finding, Side]], traces: Traces, whole: Replays, timings: Mapping[str, Timing],
    wanted: Wanted, tell: Tell,
) -> tuple[Scaled, ...]:  # fmt: skip
    """One answer for each side and CPU. whole: the replays of these sides."""
    answers: list[Scaled | _Job] = [
        _prepared(f, side, timing, traces, whole, wanted)
        for f, side in sides
        for timing in traces.timings_at(f, timings)
    ]
    jobs = [one for one in answers if isinstance(one, _Job)]
    curves = []
    for number, (job, curve) in enumerate(zip(jobs, mapped(_curve, jobs, many=2), strict=True), 1):
        curves.append(curve)
        text = f"{job.timing.name}, run {job.record.run}"
        tell(Progress(stage="scale", subject=f"{number}/{len(jobs)}", text=text, done=number / len(jobs)))
    found = iter(curves)
    return tuple(next(found) if isinstance(one, _Job) else one for one in answers)


def _prepared(
    f: Finding, side: Side, timing: Timing, traces: Traces, whole: Replays, wanted: Wanted
) -> Scaled | _Job:  # fmt: skip
    answer = Scaled(**structs.asdict(asked(f, side, timing)))
    record, traced = traces.of(f, side), traced_side(f, side, timing, traces, whole)
    if record is None or traced.replay is None:
        problem = reason_text(traced.problem) if traced.problem is not None else "no trace"
        return structs.replace(answer, problem=problem)
    if not traced.rounds:
        return structs.replace(answer, problem="the trace has no complete round that is predicted")
    if traced.replay.cpus > 1:
        problem = (
            f"{traced.replay.cpus} CPUs executed in the recorded rounds, and waited for each other; "
            "measure with --cpus 1 and tasks=1"
        )
        return structs.replace(answer, problem=problem)
    cpu = OnCpu(timing.name, answer.calibrated, timing.ghz.value, "", timing.interval.weights)
    ns = side_time(traced, traced.replay, cpu).ns
    operations = traced.operations * len(traced.rounds)
    machine = traces.cell(f, side).machine
    return _Job(
        traces.directory, record, timing, Guest(machine.cpus or 1, machine.memory_bytes or 1 << 30),
        Chosen(traced.rounds, traced.intervals, operations, ns * 1000 * operations), wanted,
        structs.replace(answer, one_ns=ns),
    )  # fmt: skip


def _curve(job: _Job) -> Scaled:
    try:
        symbols = symbols_of(job.directory, job.record, report_of(job.directory, job.record))
        data = artifacts.get(job.directory, job.record.trace or "")
        uses = uses_of(data, job.timing, lambda address: symbols.find(address)[0], job.wanted.shared)
    except KassayError as error:
        return structs.replace(job.answer, problem=f"{error.what} ({error.remedy})" if error.remedy else error.what)
    except ProfileError as error:
        return structs.replace(job.answer, problem=str(error))
    return curve(uses, job.chosen, job.timing, job.guest, job.wanted, job.answer)


def curve(uses: Uses, chosen: Chosen, timing: Timing, guest: Guest, wanted: Wanted, answer: Scaled) -> Scaled:
    """The answer with its curve, or with the reason why there is none. A curve bends, and has its peak, as seen from
    one CPU, which is simulated whether or not it was asked for."""
    problem = _refused(uses)
    if problem:
        return structs.replace(answer, problem=problem)
    sequence = sequenced(uses, chosen, wanted.scale_as)
    counts = sorted({1, *wanted.counts})
    points: list[ScalePoint] = []
    for count in counts:
        point = _point(sequence, timing, guest, chosen, count, answer)
        if isinstance(point, str):
            return structs.replace(answer, problem=point)
        points.append(point)
    sound = structs.replace(answer, points=tuple(points)).sound
    bend, lock = bend_of(sound)
    best = max(sound, key=lambda point: point.speedup, default=None)
    return structs.replace(
        answer, points=tuple(point for point in points if point.cpus in wanted.counts), bend=bend, bend_lock=lock,
        locks=lock_uses(uses, chosen), doubts=tuple(_doubts(uses, wanted.shared)),
        peak=best.cpus if best is not None and best.speedup > _PEAK * sound[-1].speedup else None,
    )  # fmt: skip


def _refused(uses: Uses) -> str:
    if uses.slow:
        return f"the traced task waited for locks itself ({listed(uses.slow)}); a trace of one task alone is needed"
    if uses.elsewhere > _ELSEWHERE_MOST:
        return (f"other tasks and the idle loop executed {uses.elsewhere:.0%} of the instructions: the task waits for "
                "others, and how long depends on what they do")  # fmt: skip
    return ""


def _doubts(uses: Uses, shared: Sequence[str]) -> Iterator[str]:
    for name in shared:
        if name not in uses.callers:
            yield f"{name}() takes no lock in the trace: --scale-shared {name} changes nothing"
    taken = Counter(use.lock.name for use in uses.uses)
    for name, count in sorted(uses.open.items()):
        if count > _OPEN_REPORTED * (count + taken[name]):
            yield f"{name}: of {count + taken[name]} acquisitions the trace does not show when {count} ended"


def _point(
    sequence: Sequenced, timing: Timing, guest: Guest, chosen: Chosen, cpus: int, answer: Scaled
) -> ScalePoint | str:  # fmt: skip
    """One number of CPUs; a text that says why there is no curve at all."""
    load = on_large_machine(sequence, guest, cpus)
    spread = ABSOLUTE[answer.calibrated]
    ways = ((1.0, ASSUMED), (1 / spread, MOST), (spread, FEWEST))
    loads = [stretched(load, factor) if factor != 1 else load for factor, _ in ways]
    found = [contended(one, machine_of(timing, end), cpus, end) for one, (_, end) in zip(loads, ways, strict=True)]
    if stuck := sorted({sequence.names[lock] for one in found for lock in one.stuck}):
        return (f"the traced order of locks cannot be repeated: in the simulation of {cpus} CPUs, some wait for the "
                f"{listed(stuck)} without end")  # fmt: skip
    usual, *others = found
    ends = [one.repeats * load.length * factor for one, (factor, _) in zip(others, ways[1:], strict=True)]
    speedup = usual.repeats * load.length
    waiting: Counter[str] = Counter()
    for name, share in zip(sequence.names, usual.waiting, strict=True):
        waiting[name] += share  # type: ignore[assignment]
    shares = sorted(waiting.items(), key=lambda item: (-item[1], item[0]))
    problem = ""
    if usual.sleeping > _SLEEP_MOST:
        problem = (
            f"readers wait {usual.sleeping:.1%} of the time for a writer of an rwsem. They sleep, and the trace does "
            "not show how long it takes to wake them"
        )
    return ScalePoint(
        cpus=cpus, speedup=speedup, interval=(min(speedup, *ends), max(speedup, *ends)),
        per_second=speedup / load.length * 1e12 * chosen.operations, problem=problem,
        waiting=tuple(Waiting(lock=name, share=share) for name, share in shares if share > 0),
    )  # fmt: skip


def stretched(load: Load, factor: float) -> Load:
    """The load with all its times multiplied."""
    actions = tuple(action._replace(delay=round(action.delay * factor)) for action in load.actions)
    return Load(actions, round(load.rest * factor), load.sharers)


def bend_of(points: Sequence[ScalePoint]) -> tuple[int | None, str]:
    """The first number of CPUs at which a further one brings less than half of the first one, and the lock that CPUs
    wait for most there."""
    before = None
    for point in points:
        if before is not None:
            gain = (point.speedup - before.speedup) / (point.cpus - before.cpus)
            if gain < _BEND:
                return point.cpus, point.waiting[0].lock if point.waiting else ""
        before = point
    return None, ""
