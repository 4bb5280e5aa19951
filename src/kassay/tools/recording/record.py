# SPDX-License-Identifier: GPL-2.0-only
"""Records the page events of guests: one further boot of each cell of an experiment, which is never a counted run."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.files import sha256_bytes, sha256_file, swept
from kassay.effects.lock import locked, refusing
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.plan import Cell, Plan, PlannedRun
from kassay.model.progress import Progress, Tell
from kassay.plan.expand import expand
from kassay.run.jobs import Recording
from kassay.run.measurer import Measurer
from kassay.supply.arches import arch_of
from kassay.supply.guest.compile import build
from kassay.supply.guest.sources import RECORDER
from kassay.supply.prepare.supply import supply_for
from kassay.tools.recording.pages import PagesError, PageTrace, read_pages, write_pages
from kassay.tools.recording.recorded import About, page_trace

SUFFIX = ".pages.zst"
_REF, _LABEL = 100, 200
"""Characters of a kernel's name and of the whole label in a file's name, which file systems limit to 255 bytes."""
SAMPLE_US = 10_000
_BATCH_SCALE_MAX = 5  # of kernels without the option: the number in their source
_MOST_BUFFER_KB = 64 << 10
_PART_OF_MEMORY = 4
_SAMPLES_BYTES = 64 << 20
_REMEDIES = {
    "ok": "recording needs CONFIG_PCI and tracing of events, which the archive's kernels have; a build has them with "
    "config=lab+CONFIG_PCI=y+CONFIG_FTRACE=y+CONFIG_ENABLE_DEFAULT_TRACERS=y",
    "timeout": "give more time with --timeout, or fewer --rounds",
}
"""By the outcome of the guest."""
_LOST_REMEDY = "give more with --buffer"
_OTHER_REMEDY = "a smaller --buffer or more --memory may help"


class Recorder(NamedTuple):
    """Settings for recording guests."""

    buffer_kb: int = 0
    """Size of each CPU's ring buffer; 0 for a quarter of the machine's memory in all, at most 64 MiB for each CPU."""
    sample_us: int = SAMPLE_US
    """Guest time between two samples of the lists."""


class Recorded(NamedTuple):
    """One recorded cell."""

    cell: Cell
    kernel: str
    path: Path | None
    """Path of its trace; None if there is no trace, and `problem` then says why."""
    problem: str = ""
    remedy: str = ""
    lost: int = 0
    """Events that the guest had no room for. No replay takes a trace without them."""

    @property
    def text(self) -> str:
        """The file of the trace, with what it lacks; or the problem."""
        if self.path is None:
            return self.problem
        lacks = f" lacks {self.lost} events, so that no replay takes it"
        return self.path.name + (lacks if self.lost else "")


def record(
    experiment: Experiment, directory: Path, tell: Tell, recorder: Recorder | None = None
) -> tuple[Recorded, ...]:
    """Records every cell of the experiment into `directory`, a file each; a file that exists is not made again.

    Raises BadInput where the clock is not exact: the times in a trace would depend on this host.
    """
    how = recorder or Recorder()
    if experiment.depends_on_host:
        raise BadInput(
            f"clock {experiment.clock}: page events are recorded where time is counted", "use --clock icount"
        )
    if how.sample_us < 1:
        raise BadInput(f"{how.sample_us} us between two samples", "give at least 1")
    results = []
    with recording_measurer(experiment, directory, tell) as measurer:
        first = [run for run in measurer.plan.runs if run.repeat == 0]
        for number, run in enumerate(first):
            tell(
                Progress(
                    stage="record", subject=f"{number + 1}/{len(first)}", text="recording", done=number / len(first)
                )
            )
            recorded = _record_cell(measurer, run, directory, how)
            results.append(recorded)
            share = (number + 1) / len(first)
            tell(Progress(stage="record", subject=f"{number + 1}/{len(first)}", text=recorded.text, done=share))
    return tuple(results)


@contextmanager
def recording_measurer(experiment: Experiment, directory: Path, tell: Tell) -> Iterator[Measurer]:
    """A measurer that records cells of the experiment into `directory`, which is made, and locked meanwhile."""
    boot = "short" if experiment.boot == "snapshot" else experiment.boot  # a restored machine has no shared memory
    experiment = structs.replace(experiment, boot=boot)
    supply = supply_for(experiment, None, tell)
    plan = expand(experiment, supply.plan_input)
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock", refusing(str(directory))), swept(directory / "scratch") as scratch:
        yield Measurer(plan, supply, directory, scratch.resolve())


def _record_cell(measurer: Measurer, run: PlannedRun, directory: Path, how: Recorder) -> Recorded:
    plan = measurer.plan
    cell = next(cell for cell in plan.cells if cell.id == run.cell)
    kernel = plan.kernels[cell.kernel].ref
    recording = recording_of(cell, how)
    path = directory / _name(plan, cell, recording)
    if path.exists():
        return Recorded(cell, kernel, path, lost=read_pages(path).origin.lost)
    traces: list[PageTrace] = []
    problems: list[str] = []

    def keep(written: Path) -> None:
        try:
            traces.append(page_trace(written.read_bytes(), _about(measurer, cell)))
        except PagesError as error:
            problems.append(error.what)

    ended = measurer.record(run, recording, keep)
    if traces and ended.outcome == "ok":
        write_pages(path, traces[0])
        return Recorded(cell, kernel, path, lost=traces[0].origin.lost)
    problems.append(f"{ended.outcome}: {ended.detail}" if ended.outcome != "ok" else "the guest recorded nothing")
    return Recorded(cell, kernel, None, "; ".join(problems), _REMEDIES.get(ended.outcome, _OTHER_REMEDY))


def recording_of(cell: Cell, how: Recorder, *, calls: bool = False) -> Recording:
    """The recorder as one cell's guest starts it. calls: system calls and faults in place of page events."""
    cpus, memory = cell.machine.cpus or 1, cell.machine.memory_bytes or 0
    buffer_kb = how.buffer_kb or min(_MOST_BUFFER_KB, memory // _PART_OF_MEMORY // cpus >> 10)
    wanted = (buffer_kb << 10) * cpus + _SAMPLES_BYTES
    settings = f"buffer_kb={buffer_kb}\nsample_us={how.sample_us}\n" + "calls=1\n" * calls
    program = build(RECORDER, cell.machine.arch)
    return Recording(program, settings.encode(), 1 << (wanted - 1).bit_length())


def inputs_of(plan: Plan, cell: Cell, recording: Recording) -> tuple[str, ...]:
    """Everything that the recording of a cell depends on, for the name of its file."""
    shared = [line.value for line in plan.cmdlines or () if line.name == str(cell.machine.cpus)]
    images = [image.value for image in plan.images or () if image.name == cell.workload]
    return (cell.id, str(plan.experiment.rounds), str(recording.settings), sha256_file(recording.program),
            *(f"{digest.name}={digest.value}" for digest in plan.guest_sha256), plan.machine.program,
            plan.plugin_sha256 or "", *plan.machine.options, *shared, *images)  # fmt: skip


def _name(plan: Plan, cell: Cell, recording: Recording) -> str:
    """Named after the cell, with a hash of its inputs."""
    key_parts = inputs_of(plan, cell, recording)
    varied = {axis.name for use in plan.experiment.workloads if use.name == cell.workload for axis in use.axes}
    settings = "".join(f"-{setting.name}={setting.value}" for setting in cell.settings if setting.name in varied)
    words = plan.kernels[cell.kernel].ref, f"{cell.workload}{settings}", f"{cell.machine.cpus}cpu"
    return file_name(*words, key=chr(0).join(key_parts))


def file_name(kernel: str, workload: str, cpus: str, *, key: str) -> str:
    """Name of a trace's file, which no file system refuses. key: everything that the trace depends on."""
    label = f"{kernel[:_REF]}-{workload}"[:_LABEL] + f"-{cpus}"
    return f"{re.sub(r'[^A-Za-z0-9._+=-]', '-', label)}-{sha256_bytes(key.encode())[:8]}{SUFFIX}"


def _about(measurer: Measurer, cell: Cell) -> About:
    kernel = measurer.plan.kernels[cell.kernel]
    return About(
        kernel=kernel.ref,
        release=kernel.release,
        arch=cell.machine.arch,
        workload=" ".join((cell.workload, *(f"{setting.name}={setting.value}" for setting in cell.settings))),
        page_bytes=arch_of(cell.machine.arch).page_bytes,
        memory_bytes=cell.machine.memory_bytes or 0,
        batch_scale_max=_batch_scale_max(measurer.supply.artifacts[cell.kernel].config),
    )


def _batch_scale_max(config: str | None) -> int:
    text = Path(config).read_text("utf-8", "replace") if config else ""
    match = re.search(r"^CONFIG_PCP_BATCH_SCALE_MAX=(\d+)$", text, re.M)
    return int(match.group(1)) if match else _BATCH_SCALE_MAX


def failure(recorded: Iterable[Recorded]) -> BadInput | None:
    """The error that names every cell without a trace that can be replayed; None if all have one."""
    failed = [result for result in recorded if result.path is None or result.lost]
    lines = [f"{result.kernel} {result.cell.workload}: {result.text}" for result in failed]
    remedies = dict.fromkeys(result.remedy or _LOST_REMEDY for result in failed)
    return BadInput("\n".join(("no trace that can be replayed:", *lines)), "\n  ".join(remedies)) if failed else None
