# SPDX-License-Identifier: GPL-2.0-only
"""One planned run -> one RunRecord: build the guest, run the machine, keep the raw bytes, name the outcome."""

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay.effects import clock
from kassay.effects.files import cache_directory, disk_errors, sha256_bytes, sha256_file, write_atomic
from kassay.effects.memory import available_bytes
from kassay.errors import BadInput
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.line_table import Resolver, addresses_of, table_bytes
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.tables import (
    FORMAT,
    NAMELESS_USER_CODE,
    POINTS_FORMAT,
    kernel_symbols,
    module_symbols,
    points,
    program_symbols,
)
from kassay.journal import artifacts
from kassay.journal.blocks import LOST, lane_of
from kassay.model.experiment import APPLICATION_TRACE_BUDGET, TRACE_BUDGET
from kassay.model.kernel import KernelArtifact
from kassay.model.packages import Image
from kassay.model.plan import Cell, PlannedRun
from kassay.model.profile import TRACE
from kassay.model.program import run_words
from kassay.model.progress import silent
from kassay.model.records import to_json
from kassay.model.run import RunRecord, WallTime
from kassay.model.units import parse_bytes
from kassay.plan.expand import padding_parameter, profile_of, traced_rounds
from kassay.plan.prepare import Prepared, modules_of
from kassay.run.outcome import outcome_of, restless
from kassay.supply import kernels as kernel_store
from kassay.supply.arches import arch_of
from kassay.supply.clocks import clock_of
from kassay.supply.guest import initramfs, state
from kassay.supply.guest.application import layer, runner
from kassay.supply.guest.program import program_in, program_points
from kassay.supply.machines import Ended, Job, Machine
from kassay.tools.cluster import Cluster, Made


class Recording(NamedTuple):
    """How a boot is recorded. program: the recorder, which starts the workload; settings: its /record.conf.
    shared_bytes: size of the memory that it writes into. The machine boots; no snapshot is restored."""

    program: Path
    settings: bytes
    shared_bytes: int


class Recorded(NamedTuple):
    """How a recorded boot ended: outcome and detail as in a RunRecord, and the kernel log."""

    outcome: str
    detail: str
    console: bytes


def jobs_for(prepared: Prepared) -> int:
    """Runs at a time: one where time is measured, else one per CPU of this process, as far as memory goes."""
    if prepared.machine.exclusive:
        return 1
    fitting = available_bytes() // max(prepared.plan.experiment.memory_bytes)
    return max(1, min(len(os.sched_getaffinity(0)), fitting))


class Measurer:
    """Makes runs of one plan; safe to call from several threads."""

    def __init__(
        self, prepared: Prepared, directory: Path, scratch: Path, cluster: Cluster | None = None,
        apart: Callable[[PlannedRun], Sequence[str]] = lambda _: (),
        rounds: Callable[[PlannedRun, tuple[int, ...]], tuple[int, ...]] = lambda _, usual: usual,
    ) -> None:  # fmt: skip
        """cluster: hosts that make the runs, None for this one. apart: hosts that a run avoids where it can. rounds:
        the rounds that a traced run records; its second argument are the usual ones."""
        self._prepared = prepared
        self._cluster = cluster
        self._apart = apart
        self._rounds = rounds
        self._lane = lane_of(prepared.plan)
        self._directory = directory
        self._scratch = scratch
        self._cells = {cell.id: cell for cell in prepared.plan.cells}
        self._lacking = dict(prepared.lacking)
        self._resolvers = {
            number: Resolver(Path(artifact.lines), artifact.identity.arch)
            for number, artifact in enumerate(prepared.artifacts)
            if artifact.lines
        }

    def measure(self, run: PlannedRun, attempt: int) -> RunRecord:
        """One attempt; never raises for what the guest or the machine did."""
        started = clock.utc_now()
        cell = self._cells[run.cell]
        if cell.id in self._lacking:
            return _never_booted(run, attempt, started, "no-modules", self._lacking[cell.id])
        with disk_errors(self._scratch), tempfile.TemporaryDirectory(prefix="run-", dir=self._scratch) as name:
            job = self._job(run, cell, Path(name))
            tables = self._profiled(job, cell)
            ended, remote_run = self._run_job(run, job, cell.machine.arch)
        if ended is None:
            return self._host_lost(run, attempt, started, remote_run)
        use = self._prepared.plan.experiment.program(cell.workload)
        outcome, detail = outcome_of(ended, use, cell, boots=self._prepared.machine.boots)
        if outcome == "ok" and not self._prepared.plan.experiment.exact:
            outcome, detail = restless(ended)
        return RunRecord(
            run=run.id, attempt=attempt, outcome=outcome, detail=detail,
            stream_sha256=artifacts.put(self._directory, ended.stream) if ended.stream else None,
            console_sha256=artifacts.put(self._directory, ended.console) if ended.console else None,
            wall=ended.wall, argv=ended.argv, started_utc=started,
            profile_sha256=artifacts.put(self._directory, ended.profile) if ended.profile else None,
            profile_problem=self._no_profile(job, ended),
            symbols=tuple(artifacts.put(self._directory, table) for table in tables) if ended.profile else (),
            trace_sha256=artifacts.put(self._directory, ended.trace) if ended.trace else UNSET,
            lines_sha256=self._lines(run, cell, ended.profile) or UNSET,
            **self._host_fields(remote_run),
        )  # fmt: skip

    def _run_job(self, run: PlannedRun, job: Job, arch: str) -> tuple[Ended | None, Made | None]:
        """The end of a job, None where its host was lost; and what made it, None for this host."""
        if self._cluster is None:
            return self._prepared.machine.run(job, arch), None
        remote_run = self._cluster.run(job, arch, self._lane(run), self._apart(run))
        return remote_run.ended, remote_run

    def _host_fields(self, remote_run: Made | None) -> dict[str, str]:
        """Fields of a record; none for this host."""
        if remote_run is None:
            return {}
        return {"host": remote_run.host.name, "host_sha256": artifacts.put(self._directory, to_json(remote_run.host))}

    def _host_lost(self, run: PlannedRun, attempt: int, started: str, remote_run: Made | None) -> RunRecord:
        assert remote_run is not None  # this host cannot be lost
        record = _never_booted(run, attempt, started, LOST, remote_run.lost)
        return structs.replace(record, **self._host_fields(remote_run))

    def record(self, run: PlannedRun, recording: Recording, keep: Callable[[Path], None]) -> Recorded:
        """One boot whose workload a recorder starts: it is no run of the plan, and no attempt at one. keep: gets the
        file that the recorder wrote, which is gone afterwards; not called where it wrote none."""
        cell = self._cells[run.cell]
        if cell.id in self._lacking:
            return Recorded("no-modules", self._lacking[cell.id], b"")
        with disk_errors(self._scratch), tempfile.TemporaryDirectory(prefix="run-", dir=self._scratch) as name:
            job = self._job(run, cell, Path(name), recording)
            ended = self._prepared.machine.run(job, cell.machine.arch)
            if (written := Path(name, "shared")).exists():
                keep(written)
        use = self._prepared.plan.experiment.program(cell.workload)
        return Recorded(*outcome_of(ended, use, cell, boots=True), ended.console)

    def _profiled(self, job: Job, cell: Cell) -> tuple[bytes, ...]:
        """The symbol tables of a run that carries a profile; what the plugin needs of them is written into the job's
        directory."""
        if job.profile is None:
            return ()
        artifact = self._prepared.artifacts[cell.kernel]
        tables = _tables(artifact, self._prepared.programs.file(cell.workload))
        text = _points(tables, cell.machine.arch, job.profile == "stacks") + self._round_points(cell)
        if self._prepared.image(cell.workload) is not None:  # there are no symbols of an image's programs
            text += NAMELESS_USER_CODE
        with disk_errors(self._scratch):
            Path(job.directory, "points").write_bytes(text)
        modules = kernel_store.load_modules(artifact, modules_of(cell, self._prepared.plan.workloads), silent)
        return (*tables, *(module_symbols(name, image) for name, image in modules))

    def _lines(self, run: PlannedRun, cell: Cell, profile: bytes | None) -> str | None:
        """The artifact with the lines that a plain run executed; None without line tables or a profile."""
        resolver = self._resolvers.get(cell.kernel)
        if resolver is None or not profile or run.perturbation.number:
            return None
        try:
            table = resolver.table(addresses_of(parse(profile)))
        except (BadInput, ProfileError):  # the answer says what is wrong with the profile
            return None
        return None if table is None else artifacts.put(self._directory, table_bytes(table))

    def _no_profile(self, job: Job, ended: Ended) -> str:
        if job.profile is not None and not ended.profile:
            return f"QEMU wrote no profile: {ended.detail or 'the region was not reached'}"
        return self._prepared.no_profile

    def _job(self, run: PlannedRun, cell: Cell, directory: Path, recording: Recording | None = None) -> Job:
        machine = self._prepared.machine
        cpus, memory = cell.machine.cpus or 1, cell.machine.memory_bytes or 0  # of a machine elsewhere its own
        artifact = self._prepared.artifacts[cell.kernel]
        moved = run.perturbation
        arguments = self._arguments(run, cell)
        experiment = self._prepared.plan.experiment
        use = experiment.program(cell.workload)
        guest = machine.boots and machine.visit is None
        image = self._initramfs(run, cell, directory, arguments, recording) if guest else None
        own = self._prepared.image(cell.workload)
        base = self._prepared.plan.cmdline(cpus)
        base += f" {initramfs.ROOT}" if own else ""
        usual = APPLICATION_TRACE_BUDGET if use is not None and use.application else TRACE_BUDGET
        profile = None if recording or self._prepared.no_profile else profile_of(experiment, run)
        usual_rounds = traced_rounds(None if use is not None and use.counted else experiment.rounds)
        return Job(
            directory=str(directory),
            program=(str(self._program(cell, directory)), *arguments),
            kernel=(artifact.vmlinux if guest and artifact.pvh else artifact.image) if machine.boots else None,
            initramfs=image and str(directory / "initramfs"),
            further=(str(own[1]), str(directory / "layer")) if own else (),
            snapshot=f"{artifact.identity.image_sha256} {image}" if experiment.boot == "snapshot" else None,
            cmdline=f"{base}{padding_parameter(moved)} {cell.cmdline}".strip() if machine.boots else base,
            cpus=cpus,
            memory_bytes=memory - moved.memory_pages * arch_of(cell.machine.arch).page_bytes,
            seed=moved.seed,
            timeout_s=experiment.timeout_s,
            cpu=_cpu(machine, cell),
            nodes=cell.machine.nodes,
            users=use is not None and bool(use.application and (use.application.server or use.counted)),
            profile=profile,
            rounds=self._rounds(run, usual_rounds) if profile == TRACE else usual_rounds,
            trace_budget=parse_bytes(experiment.trace_budget or usual),
            shared_bytes=recording.shared_bytes if recording else 0,
            controls=state.controls(cell.machine) if machine.visit else (),
            modules=tuple(modules_of(cell, self._prepared.plan.workloads)) if machine.visit else (),
        )

    def _initramfs(self, run: PlannedRun, cell: Cell, directory: Path, arguments: Sequence[str],
                   recording: Recording | None) -> str:  # fmt: skip
        """Writes the initramfs, and for a restored machine the file "job" next to it; returns the initramfs's
        sha256."""
        artifact = self._prepared.artifacts[cell.kernel]
        experiment = self._prepared.plan.experiment
        stream = arch_of(experiment.arch).qemu.stream_device
        job = initramfs.job(arguments, run.perturbation.boot_delay_us, stream, background=experiment.background,
                            state=state.init_lines(cell.machine))  # fmt: skip
        saved = experiment.boot == "snapshot"
        program = self._program(cell, directory)
        own, _ = self._prepared.image(cell.workload) or (None, None)
        further = {"recorded": program.read_bytes(), "record.conf": recording.settings} if recording else {}
        data = initramfs.build(
            init=self._prepared.programs.file("init"),
            workload=None if saved else recording.program if recording else program,
            job=None if saved else job,
            modules=kernel_store.load_modules(artifact, modules_of(cell, self._prepared.plan.workloads), silent),
            padding_bytes=run.perturbation.initramfs_bytes,
            quiesce=experiment.quiesce,
            exact=experiment.exact,
            stream=stream,
            further=further,
            setup=own is not None,
        )
        with disk_errors(directory):
            (directory / "initramfs").write_bytes(data)
            if saved:
                (directory / "job").write_bytes(job)
            return sha256_bytes(data) if own is None else self._layer(cell, sha256_bytes(data), own, directory)

    def _layer(self, cell: Cell, first: str, image: Image, directory: Path) -> str:
        """Writes what an application has besides its image; returns a hash over all that the kernel unpacks."""
        use = self._prepared.plan.experiment.program(cell.workload)
        assert use is not None  # it has an image
        last = layer(self._prepared.programs.file(cell.workload), use, cell.settings)
        (directory / "layer").write_bytes(last)
        return sha256_bytes(f"{first} {image.sha256} {sha256_bytes(last)}".encode())

    def _program(self, cell: Cell, directory: Path) -> Path:
        """Program that init executes. For an application this is the runner without the files of the image."""
        program = self._prepared.programs.file(cell.workload)
        if self._prepared.image(cell.workload) is None:
            return program
        with disk_errors(directory):
            (directory / "runner").write_bytes(runner(program.read_bytes()))
        return directory / "runner"

    def _arguments(self, run: PlannedRun, cell: Cell) -> tuple[str, ...]:
        moved, of_program = run.perturbation, self._of_program(cell)
        return (
            "--run",
            *(f"{s.name}={s.value}" for s in cell.settings if not of_program),
            *("--rounds", str(self._prepared.plan.experiment.rounds)),
            *("--clock", clock_of(self._prepared.machine.clock).ticks),
            *("--stack-bytes", str(moved.stack_bytes), "--mmap-pages", str(moved.mmap_pages)),
            *state.program_words(cell.machine),
            *of_program,
        )

    def _round_points(self, cell: Cell) -> bytes:
        """Where the rounds of a user's program begin and end, for the plugin; nothing for whole executions."""
        use = self._prepared.plan.experiment.program(cell.workload)
        if use is None or not use.points:
            return b""
        return program_points(self._prepared.programs.file(cell.workload), use).encode()

    def _of_program(self, cell: Cell) -> tuple[str, ...]:
        """Arguments of the runner of a user's program; none for other workloads."""
        use = self._prepared.plan.experiment.program(cell.workload)
        return ("--", *run_words(use, cell.settings)) if use is not None else ()


def _cpu(machine: Machine, cell: Cell) -> str:
    """The machine's own name of the cell's CPU; "" for its default."""
    name = cell.cpu or cell.machine.cpu
    return machine.cpu(name, cell.machine.arch) if name and machine.cpu is not None else ""


def _never_booted(run: PlannedRun, attempt: int, started: str, outcome: str, detail: str) -> RunRecord:
    return RunRecord(
        run=run.id, attempt=attempt, outcome=outcome, detail=detail, stream_sha256=None, console_sha256=None,
        wall=WallTime(), argv=(), started_utc=started,
    )  # fmt: skip


@cache
def _tables(artifact: KernelArtifact, program: Path) -> tuple[bytes, ...]:
    """Symbol tables of kernel and program; of a program that the user brought, and of what runs it."""
    own = [_from_cache(f"program-{sha256_file(program)}", lambda: program_symbols(program))]
    if (brought := program_in(program)) is not None:
        own.append(_from_cache(f"program-{sha256_bytes(brought)}", lambda: program_symbols(program, brought)))
    if artifact.symbols is None:
        return tuple(own)
    symbols = Path(artifact.symbols)
    return _from_cache(f"kernel-{artifact.identity.symbols_sha256}", lambda: kernel_symbols(symbols)), *own


@cache
def _points(tables: tuple[bytes, ...], arch: str, functions: bool) -> bytes:
    name = f"points-{POINTS_FORMAT}-{int(functions)}-{sha256_bytes(b''.join(tables))}"
    return _from_cache(name, lambda: points(tables, arch_of(arch), functions=functions).encode())


def _from_cache(name: str, make: Callable[[], bytes]) -> bytes:
    """Result of make(), which takes up to half a second, from the cache if it exists there."""
    path = cache_directory() / "symbols" / f"{FORMAT}-{name}"
    if not path.is_file():
        write_atomic(path, make())
    return path.read_bytes()
