# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> evidence: the raw streams, read again each time, so that a better parser also reads old runs."""

from collections.abc import Sequence

from kassay.arches import arch_of
from kassay.cpus import Cpu, cpus
from kassay.effects import clock
from kassay.evidence.profiles import region_of
from kassay.guest import audit, protocol
from kassay.guest.cpu import cpu_of
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory
from kassay.model.experiment import labels
from kassay.model.guest import GuestReport
from kassay.model.plan import Cell, PlannedRun
from kassay.model.progress import Progress, Tell, silent
from kassay.model.run import CellEvidence, CheckedRequirement, Fields, Measurement, RunRecord

_QUIET_S = 2.0


def collect(folder: RunDirectory, records: Sequence[RunRecord], tell: Tell = silent) -> tuple[CellEvidence, ...]:
    """One CellEvidence per cell of the plan, in plan order. tell: hears of it when it takes longer than two seconds."""
    read = _Reading(folder, sum(record.outcome == "ok" for record in records), tell).read
    succeeded = {record.run: record for record in records if record.outcome == "ok"}
    tried = {record.run for record in records}
    names = labels(folder.plan.experiment)
    made = []
    for cell in folder.plan.cells:
        runs = sorted((run for run in folder.plan.runs if run.cell == cell.id), key=lambda run: run.repeat)
        ids = {run.id for run in runs if not run.control}
        controls = {run.id for run in runs if run.control}
        made.append(
            CellEvidence(
                cell=cell,
                kernel=folder.plan.kernels[cell.kernel],
                label=names[cell.kernel],
                measurements=tuple(read(cell, run, succeeded[run.id]) for run in runs if run.id in succeeded),
                failures=tuple(r for r in records if r.run in ids and r.outcome != "ok"),
                lost=len((ids & tried) - succeeded.keys()),
                unmade=len(ids - tried),
                control_failures=tuple(r for r in records if r.run in controls and r.outcome != "ok"),
            )
        )
    return tuple(made)


class _Reading:
    """Reads one run after the other and says how far it is."""

    def __init__(self, folder: RunDirectory, total: int, tell: Tell) -> None:
        self._folder, self._total, self._tell = folder, total, tell
        self._started, self._done = clock.monotonic_s(), 0

    def read(self, cell: Cell, run: PlannedRun, record: RunRecord) -> Measurement:
        self._done += 1
        if clock.monotonic_s() - self._started > _QUIET_S:
            share = self._done / self._total
            self._tell(Progress(stage="read", subject=f"{self._done}/{self._total}", text=run.id, done=share))
        return _read(self._folder, cell, run, record)


def _read(folder: RunDirectory, cell: Cell, run: PlannedRun, record: RunRecord) -> Measurement:
    assert record.stream_sha256 is not None  # an ok run has a stream
    report = protocol.parse(artifacts.get(folder.path, record.stream_sha256))
    fields = {moment: audit.fields(report, moment) for moment in ("before", "after")}
    return Measurement(
        run=run.id,
        repeat=run.repeat,
        block=run.block,
        control=run.control,
        perturbation=run.perturbation.number,
        phases=report.phases,
        ns_per_tick=_ns_per_tick(report),
        before=_tuple(fields["before"]),
        after=_tuple(fields["after"]),
        requirements=tuple(
            CheckedRequirement(
                requirement=r, found=fields[r.moment].get(r.field), holds=audit.holds(r, fields[r.moment])
            )
            for r in report.requirements
        ),
        foreign_ns=audit.foreign(report),
        region_ns=_region_ns(report),
        notes=report.notes,
        cpu=cpu_of(report, arch_of(cell.machine.arch), _cpu(cell)),
        tasks_left_out=audit.tasks_left_out(report),
        quiescence=audit.fields(report, "boot").get("boot.quiescence"),
        counters=_tuple(audit.delta(report, "")),
        region=region_of(folder.path, record, report),
    )


def _cpu(cell: Cell) -> Cpu | None:
    """That was asked for by name, where this version knows it."""
    name = cell.cpu or cell.machine.cpu
    return cpus().get(name) if name else None


def _ns_per_tick(report: GuestReport) -> float:
    # A guest may not know the rate of this clock; it is read where instructions are counted only, where it is 1 GHz.
    return 1e9 / report.ticks_per_second if report.ticks_per_second else 1.0


def _region_ns(report: GuestReport) -> int:
    """Length of the measured phases together."""
    whole = next((p for p in report.phases if p.phase == "iteration"), None)
    phases = (whole,) if whole is not None else report.phases
    return int(sum(sum(p.ticks) for p in phases) * _ns_per_tick(report))


def _tuple(fields: dict[str, str | None]) -> Fields:
    return tuple(sorted(fields.items()))
