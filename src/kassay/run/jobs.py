# SPDX-License-Identifier: GPL-2.0-only
"""A planned run -> the job that a machine runs: its program, its initramfs, and all that was perturbed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import disk_errors, sha256_bytes
from kassay.model.plan import Cell, Plan, PlannedRun
from kassay.model.profile import TRACE
from kassay.model.progress import silent
from kassay.model.units import parse_bytes
from kassay.plan.expand import padding_parameter, profile_of, traced_rounds
from kassay.supply import kernels as kernel_store
from kassay.supply.arches import arch_of
from kassay.supply.clocks import clock_of
from kassay.supply.guest import initramfs, state
from kassay.supply.machines import Job
from kassay.supply.measured import Archive
from kassay.supply.prepare.supply import Supply

Rounds = Callable[[PlannedRun, tuple[int, ...]], tuple[int, ...]]
"""The rounds that a traced run records; the second argument are the usual ones."""


class Recording(NamedTuple):
    """Parts of a recorded boot. The machine boots, and no snapshot is restored."""

    program: Path
    """Recorder, which starts the workload."""
    settings: bytes
    """Content of the recorder's /record.conf."""
    shared_bytes: int
    """Size of the memory that the recorder writes into."""


class _Guest(NamedTuple):
    """Contents of a guest besides its kernel and init."""

    program: Path
    arguments: tuple[str, ...]
    archives: tuple[Archive, ...]
    modules: Sequence[str]


class Jobs:
    """Jobs of one plan. Safe to use from several threads."""

    def __init__(self, plan: Plan, supply: Supply, rounds: Rounds = lambda _, usual: usual) -> None:
        self._plan, self._supply, self._rounds = plan, supply, rounds

    def modules(self, cell: Cell) -> tuple[str, ...]:
        """Kernel modules that the runs of a cell need."""
        return state.modules(self._plan.workload(cell.workload), cell.settings, cell.machine.swap)

    def job(self, run: PlannedRun, cell: Cell, directory: Path, recording: Recording | None = None) -> Job:
        """The job of one run, whose files are written into `directory`."""
        machine, measured = self._supply.machine, self._supply.measured[cell.workload]
        experiment, perturbation = self._plan.experiment, run.perturbation
        artifact, modules = self._supply.artifacts[cell.kernel], self.modules(cell)
        kernel_store.check_whole(artifact)
        cpus, memory = cell.machine.cpus or 1, cell.machine.memory_bytes or 0  # of a machine elsewhere its own
        with disk_errors(directory):
            program = measured.executable(self._supply.programs.file(cell.workload), directory)
            archives = self._archives(cell, directory)
        arguments = measured.arguments(cell.settings, self._common_arguments(run, cell))
        guest = _Guest(program, arguments, archives, modules)
        initramfs_sha256 = self._initramfs(run, cell, directory, guest, recording) if machine.takes_initramfs else ""
        cpu = cell.cpu or cell.machine.cpu
        base = f"{self._supply.plan_input.cmdline(cpus)}{f' {initramfs.ROOT}' if archives else ''}"
        profile = None if recording or self._supply.no_profile else profile_of(experiment, run)
        usual_rounds = traced_rounds(None if measured.counted else experiment.rounds)
        return Job(
            directory=str(directory),
            program=(str(program), *arguments),
            kernel=machine.kernel_file(artifact),
            initramfs=str(directory / "initramfs") if machine.takes_initramfs else None,
            further=tuple(archive.path for archive in archives),
            snapshot=f"{artifact.identity.image_sha256} {initramfs_sha256}" if experiment.boot == "snapshot" else None,
            cmdline=f"{base}{padding_parameter(perturbation)} {cell.cmdline}".strip(),
            cpus=cpus,
            memory_bytes=memory - perturbation.memory_pages * arch_of(cell.machine.arch).page_bytes,
            seed=perturbation.seed,
            timeout_s=experiment.timeout_s,
            cpu=machine.cpu_option(cpu, cell.machine.arch) if cpu else "",
            nodes=cell.machine.nodes,
            users=measured.has_every_task,
            profile=profile,
            rounds=self._rounds(run, usual_rounds) if profile == TRACE else usual_rounds,
            trace_budget=parse_bytes(experiment.trace_budget or measured.trace_budget),
            shared_bytes=recording.shared_bytes if recording else 0,
            controls=state.controls(cell.machine),
            modules=modules,
        )

    def _archives(self, cell: Cell, directory: Path) -> tuple[Archive, ...]:
        measured, built = self._supply.measured[cell.workload], self._supply.programs.file(cell.workload)
        return measured.archives(built, self._supply.image(cell.workload), cell.settings, directory)

    def _initramfs(
        self, run: PlannedRun, cell: Cell, directory: Path, guest: _Guest, recording: Recording | None
    ) -> str:
        """Writes the initramfs, and for a restored machine the file "job" next to it; returns a hash over all that the
        kernel unpacks."""
        artifact, experiment = self._supply.artifacts[cell.kernel], self._plan.experiment
        stream = arch_of(experiment.arch).qemu.stream_device
        job = initramfs.job(guest.arguments, run.perturbation.boot_delay_us, stream, background=experiment.background,
                            state=state.init_lines(cell.machine))  # fmt: skip
        saved = experiment.boot == "snapshot"
        further = {"recorded": guest.program.read_bytes(), "record.conf": recording.settings} if recording else {}
        data = initramfs.build(
            init=self._supply.programs.file("init"),
            workload=None if saved else recording.program if recording else guest.program,
            job=None if saved else job,
            modules=kernel_store.load_modules(artifact, guest.modules, silent),
            padding_bytes=run.perturbation.initramfs_bytes,
            quiesce=experiment.quiesce,
            timed=experiment.timed,
            stream=stream,
            further=further,
            setup=bool(guest.archives),
        )
        with disk_errors(directory):
            (directory / "initramfs").write_bytes(data)
            if saved:
                (directory / "job").write_bytes(job)
        first = sha256_bytes(data)
        key = " ".join((first, *(archive.sha256 for archive in guest.archives)))
        return sha256_bytes(key.encode()) if guest.archives else first

    def _common_arguments(self, run: PlannedRun, cell: Cell) -> tuple[str, ...]:
        """Words that every program of kassay takes."""
        perturbation = run.perturbation
        return (
            *("--rounds", str(self._plan.experiment.rounds)),
            *("--clock", clock_of(self._supply.machine.clock).ticks),
            *("--stack-bytes", str(perturbation.stack_bytes), "--mmap-pages", str(perturbation.mmap_pages)),
            *state.program_words(cell.machine),
        )
