# SPDX-License-Identifier: GPL-2.0-only
"""One further boot of each application that records its system calls and faults; it is no measurement."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import structs

from kassay.effects import process
from kassay.effects.files import sha256_bytes, write_atomic
from kassay.labs.notice.model import CallSizes
from kassay.labs.notice.sizes import Commands, Recorded, call_sizes
from kassay.model.experiment import Experiment
from kassay.model.plan import Cell, Plan, PlannedRun
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, Setting, from_json, to_indented_json
from kassay.run.jobs import Recording
from kassay.run.measurer import Measurer
from kassay.supply.arches import arch_of
from kassay.tools.recording.pages import PagesError
from kassay.tools.recording.record import Recorder, inputs_of, recording_measurer, recording_of

_FORMAT = 3
"""Increased when the same recording would give other sizes."""
_SAMPLE_US = 1_000_000


class RecordedCalls(Record, frozen=True, kw_only=True):
    """Recorded calls of one application on one kernel."""

    application: str
    kernel: str
    whole: bool = False
    """True if a whole run was recorded because its executions cannot be separated."""
    executions: int = 0
    lost: int = 0
    """Events for which the kernel had no room."""
    sizes: tuple[CallSizes, ...] = ()
    problem: str = ""
    """Reason why there are no sizes; "" if there are some."""
    settings: tuple[Setting, ...] = ()


def recorded_calls(experiment: Experiment, directory: Path, tell: Tell, *, make: bool) -> tuple[RecordedCalls, ...]:
    """Recordings of every cell of an experiment with one kernel; those in `directory` are used again. make: whether
    missing ones are made; else they are left out."""
    if not make and not directory.is_dir():
        return ()
    experiment = structs.replace(experiment, profile="none", repeats=1, perturb=0)
    with recording_measurer(experiment, directory, tell) as measurer:
        return tuple(_each(measurer, lambda run, cell: _record_cell(measurer, run, cell, directory, make=make), tell))


def _each(
    measurer: Measurer, record: Callable[[PlannedRun, Cell], tuple[RecordedCalls, ...]], tell: Tell
) -> Iterator[RecordedCalls]:
    """Runs as many boots at a time as the host has room for; ends all when one raises or the user interrupts."""
    cells = {cell.id: cell for cell in measurer.plan.cells}
    runs = [(run, cells[run.cell]) for run in measurer.plan.runs]
    pool = ThreadPoolExecutor(measurer.hosts.slots())
    try:
        for number, calls in enumerate(pool.map(lambda planned: record(*planned), runs), 1):
            text, share = runs[number - 1][1].workload, number / len(runs)
            tell(Progress(stage="record", subject=f"{number}/{len(runs)}", text=text, done=share))
            yield from calls
    except BaseException:
        with process.ending_all():
            pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _record_cell(
    measurer: Measurer, run: PlannedRun, cell: Cell, directory: Path, *, make: bool
) -> tuple[RecordedCalls, ...]:
    recording = recording_of(cell, Recorder(sample_us=_SAMPLE_US), calls=True)
    path = directory / _name(measurer.plan, cell, recording)
    if path.exists() or not make:
        return (from_json(path.read_bytes(), RecordedCalls),) if path.exists() else ()
    recordings: list[Recorded] = []
    problems: list[str] = []

    def keep(written: Path) -> None:
        try:
            page_bytes = arch_of(cell.machine.arch).page_bytes
            recordings.append(call_sizes(written.read_bytes(), _commands(measurer, cell), page_bytes))
        except PagesError as error:
            problems.append(error.what)

    ended = measurer.record(run, recording, keep)
    whole, kernel = not _commands(measurer, cell).programs, measurer.plan.kernels[cell.kernel].ref
    about = RecordedCalls(application=cell.workload, kernel=kernel, whole=whole, settings=cell.settings)
    if ended.outcome != "ok" or not recordings:
        why = f"{ended.outcome}: {ended.detail}" if ended.outcome != "ok" else "; ".join(problems)
        return (structs.replace(about, problem=why or "the guest recorded nothing"),)
    (recorded,) = recordings
    answer = structs.replace(about, executions=recorded.executions, lost=recorded.lost, sizes=recorded.sizes)
    write_atomic(path, to_indented_json(answer).encode())
    return (answer,)


def _commands(measurer: Measurer, cell: Cell) -> Commands:
    rounds, around = measurer.plan.experiment.rounds, measurer.supply.measured[cell.workload].commands_around
    return Commands(rounds, programs=False) if around is None else Commands(rounds, *around)


def _name(plan: Plan, cell: Cell, recording: Recording) -> str:
    """The name has a hash of everything that could change the sizes."""
    key_parts = (str(_FORMAT), *inputs_of(plan, cell, recording))
    label = f"{cell.workload}-{plan.kernels[cell.kernel].ref}"
    return f"{re.sub(r'[^A-Za-z0-9._+=-]', '-', label)}-{sha256_bytes(chr(0).join(key_parts).encode())[:8]}.json"
