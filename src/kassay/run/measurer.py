# SPDX-License-Identifier: GPL-2.0-only
"""One planned run -> one RunRecord: build the guest, run the machine, keep the raw bytes, name the outcome."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import UNSET, structs

from kassay.effects import clock
from kassay.effects.files import disk_errors
from kassay.errors import BadInput
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.line_table import Resolver, addresses_of, table_bytes
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.tables import module_symbols
from kassay.journal import artifacts
from kassay.journal.host_blocks import LOST, sequence_of
from kassay.model.plan import Cell, Plan, PlannedRun
from kassay.model.progress import silent
from kassay.model.records import to_json
from kassay.model.run import RunRecord, WallTime
from kassay.run.jobs import Jobs, Recording, Rounds
from kassay.run.local_host import LocalHost
from kassay.run.outcome import outcome_of, quiescence_outcome
from kassay.run.symbols import plugin_points, symbol_tables
from kassay.supply import kernels as kernel_store
from kassay.supply.machines import Ended, Job
from kassay.supply.prepare.supply import Supply
from kassay.tools.cluster import Cluster, RunOnHost


class Recorded(NamedTuple):
    """End of a recorded boot: outcome and detail as in a RunRecord, and the kernel log."""

    outcome: str
    detail: str
    console: bytes


class Measurer:
    """Makes runs of one plan; safe to call from several threads."""

    def __init__(
        self, plan: Plan, supply: Supply, directory: Path, scratch: Path, hosts: Cluster | None = None,
        apart: Callable[[PlannedRun], Sequence[str]] = lambda _: (), rounds: Rounds = lambda _, usual: usual,
    ) -> None:  # fmt: skip
        """hosts: those that make the runs, by default this one. apart: hosts that a run avoids where it can."""
        self.plan = plan
        self.supply = supply
        self.hosts = hosts or LocalHost(supply.machine, plan.experiment)
        self.jobs = Jobs(plan, supply, rounds)
        self._apart = apart
        self._sequence = sequence_of(plan)
        self._directory = directory
        self._scratch = scratch
        self._cells = {cell.id: cell for cell in plan.cells}
        self._resolvers = {
            number: Resolver(Path(artifact.lines), artifact.identity.arch)
            for number, artifact in enumerate(supply.artifacts)
            if artifact.lines
        }

    def measure(self, run: PlannedRun, attempt: int) -> RunRecord:
        """One attempt; never raises for what the guest or the machine did."""
        started = clock.utc_now()
        cell = self._cells[run.cell]
        if missing := self.supply.missing(cell.kernel, self.jobs.modules(cell)):
            return _never_booted(run, attempt, started, "no-modules", missing)
        with disk_errors(self._scratch), tempfile.TemporaryDirectory(prefix="run-", dir=self._scratch) as name:
            job = self.jobs.job(run, cell, Path(name))
            tables = self._symbols(job, cell)
            made = self.hosts.run(job, cell.machine.arch, self._sequence(run), self._apart(run))
        ended, host = made.ended, self._host_fields(made)
        if ended is None:
            return structs.replace(_never_booted(run, attempt, started, LOST, made.lost), **host)
        outcome, detail = self._outcome(ended, cell)
        if outcome == "ok" and self.plan.experiment.timed:
            outcome, detail = quiescence_outcome(ended)
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
            host_dependence=ended.host_dependence or UNSET,
            **host,
        )  # fmt: skip

    def record(self, run: PlannedRun, recording: Recording, keep: Callable[[Path], None]) -> Recorded:
        """One boot on this host whose workload a recorder starts: it is no run of the plan, and no attempt at one.
        keep: gets the file that the recorder wrote, which is gone afterwards; not called where it wrote none."""
        cell = self._cells[run.cell]
        if missing := self.supply.missing(cell.kernel, self.jobs.modules(cell)):
            return Recorded("no-modules", missing, b"")
        with disk_errors(self._scratch), tempfile.TemporaryDirectory(prefix="run-", dir=self._scratch) as name:
            job = self.jobs.job(run, cell, Path(name), recording)
            ended = self.supply.machine.run(job, cell.machine.arch)
            if (written := Path(name, "shared")).exists():
                keep(written)
        return Recorded(*self._outcome(ended, cell), ended.console)

    def _outcome(self, ended: Ended, cell: Cell) -> tuple[str, str]:
        measured, machine = self.supply.measured[cell.workload], self.supply.machine
        return outcome_of(ended, measured, cell, logs_kernel=machine.logs_kernel)

    def _host_fields(self, made: RunOnHost) -> dict[str, Any]:
        """Fields of a record; none for this host."""
        if made.host is None:
            return {}
        return {"host": made.host.name, "host_sha256": artifacts.put(self._directory, to_json(made.host))}

    def _symbols(self, job: Job, cell: Cell) -> tuple[bytes, ...]:
        """The symbol tables of a run that carries a profile; what the plugin needs of them is written into the job's
        directory."""
        if job.profile is None:
            return ()
        artifact, program = self.supply.artifacts[cell.kernel], self.supply.programs.file(cell.workload)
        tables = symbol_tables(artifact, program)
        text = plugin_points(artifact, program, job.profile == "stacks")
        with disk_errors(self._scratch):
            Path(job.directory, "points").write_bytes(text + self.supply.measured[cell.workload].points(program))
        modules = kernel_store.load_modules(artifact, job.modules, silent)
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
        return self.supply.no_profile


def _never_booted(run: PlannedRun, attempt: int, started: str, outcome: str, detail: str) -> RunRecord:
    return RunRecord(
        run=run.id, attempt=attempt, outcome=outcome, detail=detail, stream_sha256=None, console_sha256=None,
        wall=WallTime(), argv=(), started_utc=started,
    )  # fmt: skip
