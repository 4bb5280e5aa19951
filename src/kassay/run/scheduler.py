# SPDX-License-Identifier: GPL-2.0-only
"""Which runs are still owed, the loop that makes them, and how long they take; no policy about results, no printing."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import median

import msgspec

from kassay.effects import process
from kassay.effects.files import cache_directory, kept_record, write_atomic
from kassay.journal.host_blocks import LOST, counted_records
from kassay.journal.repeats import certain_failures
from kassay.model.experiment import Experiment
from kassay.model.plan import Plan, PlannedRun
from kassay.model.profile import TRACE
from kassay.model.records import content_id, to_json
from kassay.model.run import RunRecord
from kassay.model.timing import Pace
from kassay.plan.expand import profile_of

_MOST = 1024  # threads; each run under way has one
_LOOK_S = 1.0  # seconds after which jobs() is called again
_MOST_LOST = 5  # hosts that may be lost under one run
Measure = Callable[[PlannedRun, int], RunRecord]
Keep = Callable[[RunRecord], None]


def stages(plan: Plan) -> tuple[tuple[PlannedRun, ...], ...]:
    """Runs that are finished, failed ones tried again included, before the next ones begin.

    A block each where time is measured: a boot made again much later would not be comparable with its block. Exact
    counts do not depend on when they are made. Only traced runs come after the others, as these show which rounds are
    worth recording.
    """
    experiment = plan.experiment
    if not experiment.timed:
        groups: dict[bool, list[PlannedRun]] = {False: [], True: []}
        for run in plan.runs:
            groups[profile_of(experiment, run) == TRACE].append(run)
        return tuple(tuple(runs) for runs in groups.values() if runs)
    return tuple(tuple(runs) for _, runs in groupby(plan.runs, key=lambda run: run.block))


def owed(
    plan: Plan, records: tuple[RunRecord, ...], among: Collection[PlannedRun] | None = None
) -> tuple[tuple[PlannedRun, int], ...]:
    """(run, attempt) still to be made, in plan order: never one that succeeded, never past the allowed attempts.

    A failure that must repeat is not tried again. among: runs that are asked for; all of the plan's by default.
    Attempts on hosts that were lost do not count, but are not endless either.
    """
    attempts: dict[str, int] = {}
    done = set(certain_failures(plan, records))
    for record in counted_records(plan, records):
        attempts[record.run] = max(attempts.get(record.run, 0), record.attempt)
        if record.outcome == "ok":
            done.add(record.run)
    lost = Counter(record.run for record in records if record.outcome == LOST)
    limit = 1 + plan.experiment.retries
    return tuple(
        (run, attempts.get(run.id, 0) + 1)
        for run in (plan.runs if among is None else among)
        if run.id not in done and attempts.get(run.id, 0) < limit and lost[run.id] <= _MOST_LOST
    )


def run_all(
    plan: Plan,
    records: tuple[RunRecord, ...],
    measure: Measure,
    keep: Keep,
    jobs: Callable[[], int],
    among: Collection[PlannedRun] | None = None,
    sequence: Callable[[PlannedRun], str] = lambda _: "",
    stop: Callable[[], None] = lambda: None,
) -> tuple[RunRecord, ...]:
    """Makes every owed run (of those in `among`) and keeps each record the moment it exists.

    jobs: how many at a time; asked again every second, as hosts come and go. sequence: the name of a run's sequence;
    runs of a sequence are made one after another, and "" is none.
    stop: called where the loop ends early, so that no run under way is waited for.
    A failed run is tried again after the first pass, as long as attempts are left. An error
    of measure() or keep() ends the loop; what was kept stays kept.
    """
    all_records = list(records)
    pool = ThreadPoolExecutor(max_workers=_MOST)
    running: dict[Future[RunRecord], str] = {}
    done: SimpleQueue[Future[RunRecord]] = SimpleQueue()
    try:
        while pending := list(reversed(owed(plan, tuple(all_records), among))):
            while pending or running:
                room = jobs()
                while len(running) < room and (at := _next(pending, sequence, running.values())) is not None:
                    run, attempt = pending.pop(at)
                    future = pool.submit(measure, run, attempt)
                    running[future] = sequence(run)
                    future.add_done_callback(done.put)
                for future in _ended(done):
                    del running[future]
                    record = future.result()
                    keep(record)
                    all_records.append(record)
                    if record.outcome != "ok":
                        certain = certain_failures(plan, all_records)
                        pending = [(run, attempt) for run, attempt in pending if run.id not in certain]
    except BaseException as error:
        try:
            _keep_ended(running, keep, stop, error)
        finally:
            with process.ending_all():
                pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()
    return tuple(all_records)


def _keep_ended(
    running: Collection[Future[RunRecord]], keep: Keep, stop: Callable[[], None], error: BaseException
) -> None:
    """Keeps the records of runs that have ended. The other runs are owed again, and nobody waits for them.

    error: the reason why the loop ends. Further errors become notes on it, so that none hides another.
    """
    steps: list[Callable[[], None]] = [stop]
    steps += [partial(keep, future.result()) for future in running if future.done() and not future.exception()]
    for step in steps:
        try:
            step()
        except Exception as further:
            error.add_note(f"{type(further).__name__}: {further}")


def _ended(done: "SimpleQueue[Future[RunRecord]]") -> Iterator[Future[RunRecord]]:
    """Runs that have ended. Waits a short time for one. (wait() takes longer the more runs are under way.)"""
    with suppress(Empty):
        yield done.get(timeout=_LOOK_S)
        while True:
            yield done.get_nowait()


def _next(
    pending: Sequence[tuple[PlannedRun, int]], sequence: Callable[[PlannedRun], str], busy: Collection[str]
) -> int | None:
    """Index of the next run to start: the last entry whose sequence is idle. The entries are in reverse order.

    None if every sequence is busy.
    """
    last = range(len(pending) - 1, -1, -1)
    return next((at for at in last if not (name := sequence(pending[at][0])) or name not in busy), None)


def known_pace(experiment: Experiment) -> Pace | None:
    """The pace of the last session like this one; None when there was none."""
    return kept_record(_path(experiment), Pace)


def remember_pace(plan: Plan, records: tuple[RunRecord, ...]) -> None:
    """Keeps the pace of a timed session for the next one."""
    walls = [sum(msgspec.structs.astuple(record.wall)) for record in records if record.outcome == "ok"]
    if plan.experiment.timed and walls:
        write_atomic(_path(plan.experiment), to_json(Pace(seconds=median(walls), n=len(walls))))


def _path(experiment: Experiment) -> Path:
    like = msgspec.structs.replace(experiment, name="", kernels=(), repeats=0, seed=0, margin=0.0)
    return cache_directory() / "pace" / f"{content_id(like)[:16]}.json"
