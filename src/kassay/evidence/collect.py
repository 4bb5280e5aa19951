# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> evidence: the raw streams are parsed again each time, so that a better parser also reads old runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.effects import clock
from kassay.effects.files import sha256_bytes
from kassay.effects.workers import mapped
from kassay.evidence.profiles import region_of, report_apart, report_of, work_of_run
from kassay.journal.directory import RunDirectory
from kassay.journal.repeats import certain_failures
from kassay.model.experiment import labels
from kassay.model.guest import GuestReport
from kassay.model.plan import Cell, PlannedRun
from kassay.model.printed_values import Printed
from kassay.model.program import ProgramUse
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import grouped
from kassay.model.run import CellEvidence, CheckedRequirement, Fields, Measurement, RunRecord
from kassay.model.texts import shortened
from kassay.supply.arches import arch_of
from kassay.supply.cpus import Cpu, cpus
from kassay.supply.guest import audit, state
from kassay.supply.guest.cpu import cpu_of
from kassay.supply.guest.program_output import printed
from kassay.supply.guest.remote_state import host_fields

_QUIET_S = 2.0
_MANY, _CHUNK = 64, 8  # runs; reading one takes 0.1 s
_SHOWN = 8  # executions


def collect(
    folder: RunDirectory, records: Sequence[RunRecord], tell: Tell = silent, known: dict[str, Measurement] | None = None
) -> tuple[CellEvidence, ...]:
    """One CellEvidence per cell of the plan, in plan order. tell: is told of progress when it takes longer than two
    seconds.

    known: measurements that were read before, by run, which are not read again; those that are read now are added.
    """
    succeeded = {record.run: record for record in records if record.outcome == "ok"}
    tried = {record.run for record in records} | certain_failures(folder.plan, records).keys()
    names = labels(folder.plan.experiment)
    of_cell = grouped((run.cell, run) for run in sorted(folder.plan.runs, key=lambda run: run.repeat))
    failures = grouped((record.run, record) for record in records if record.outcome != "ok")
    measured = known if known is not None else {}
    measured |= _measured(folder, {r: succeeded[r] for r in succeeded.keys() - measured.keys()}, of_cell, tell)
    evidence = []
    for cell in folder.plan.cells:
        runs = of_cell.get(cell.id, [])
        ids = [run.id for run in runs if not run.control]
        controls = [run.id for run in runs if run.control]
        evidence.append(
            CellEvidence(
                cell=cell,
                kernel=folder.plan.kernels[cell.kernel],
                label=names[cell.kernel],
                measurements=tuple(measured[run.id] for run in runs if run.id in measured),
                failures=_in_order(failures, ids, records),
                lost=len((set(ids) & tried) - succeeded.keys()),
                unmade=len(set(ids) - tried),
                control_failures=_in_order(failures, controls, records),
            )
        )
    return tuple(evidence)


def _in_order(
    failures: Mapping[str, Sequence[RunRecord]], ids: Sequence[str], records: Sequence[RunRecord]
) -> tuple[RunRecord, ...]:
    """Failed attempts at these runs, as the journal has them."""
    wanted = {id(record) for run in ids for record in failures.get(run, ())}
    return tuple(record for record in records if id(record) in wanted) if wanted else ()


class _Job(NamedTuple):
    directory: Path
    use: ProgramUse | None  # of the user's program
    apart: bool  # deferred work is
    cell: Cell
    run: PlannedRun
    record: RunRecord


def _measured(
    folder: RunDirectory, succeeded: Mapping[str, RunRecord], of_cell: Mapping[str, Sequence[PlannedRun]], tell: Tell
) -> dict[str, Measurement]:
    """The measurement of every run that succeeded, by its id; tells of progress when it takes long."""
    experiment = folder.plan.experiment
    jobs = [
        _Job(folder.path, experiment.program(cell.workload), experiment.apart, cell, run, succeeded[run.id])
        for cell in folder.plan.cells for run in of_cell.get(cell.id, ()) if run.id in succeeded
    ]  # fmt: skip
    started, measurements = clock.monotonic_s(), {}
    for job, measurement in zip(jobs, mapped(_read, jobs, many=_MANY, chunk=_CHUNK), strict=True):
        measurements[job.run.id] = measurement
        if clock.monotonic_s() - started > _QUIET_S:
            done = len(measurements) / len(jobs)
            tell(Progress(stage="read", subject=f"{len(measurements)}/{len(jobs)}", text=job.run.id, done=done))
    return measurements


def _compared_state(
    asked: Sequence[str], output: Sequence[Printed], fields: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Values that must be the same on all kernels because the user asked for it, by name.

    A value is what the program printed under the name, or else the field of its state, or of the machine's.
    """
    values = {item.name: _of_executions([value or "-" for value in item.values]) for item in output}
    return {
        f"state.{name}": values[name] if name in values else fields.get(f"program.{name}", fields.get(name))
        for name in asked
    }


def _of_executions(values: Sequence[str]) -> str:
    """A value that is the same in all executions, else one for each: the first ones, and a hash of all."""
    if len({*values}) == 1:
        return values[0]
    digest = sha256_bytes("\n".join(values).encode())[:8]
    return " ".join(shortened(values, _SHOWN, f"and {{}} more (sha256 {digest})"))


def _read(job: _Job) -> Measurement:
    directory, use, apart, cell, run, record = job
    report = report_of(directory, record)
    without = report_apart(directory, record) if apart else None
    output = printed(report)
    fields = {moment: audit.fields(report, moment) for moment in ("before", "after")}
    fields["before"].update(host_fields(report))
    fields["after"].update(_compared_state(use.state if use is not None else (), output, fields["after"]))
    return Measurement(
        run=run.id,
        repeat=run.repeat,
        block=run.block,
        control=run.control,
        perturbation=run.perturbation.number,
        phases=(without or report).phases,
        deferred="included" if not apart else "apart" if without else "not known",
        ns_per_tick=_ns_per_tick(report),
        before=_tuple(fields["before"]),
        after=_tuple(fields["after"]),
        requirements=tuple(
            CheckedRequirement(
                requirement=r, found=fields[r.moment].get(r.field), holds=audit.holds(r, fields[r.moment])
            )
            for r in (*report.requirements, *state.requirements(cell.machine, fields))
        ),
        foreign_ns=audit.foreign(report),
        region_ns=_region_ns(report),
        notes=report.notes,
        cpu=cpu_of(report, arch_of(cell.machine.arch), _cpu(cell)),
        tasks_left_out=audit.tasks_left_out(report),
        quiescence=audit.fields(report, "boot").get("boot.quiescence"),
        counters=_tuple({**audit.delta(report, ""), **audit.ran_on(report)}),
        levels=_tuple(audit.levels(report)),
        printed=output,
        work=work_of_run(directory, record, apart=without is not None, region=use is not None and use.counted),
        host=record.host or "",
        region=region_of(directory, record),
    )


def _cpu(cell: Cell) -> Cpu | None:
    """The CPU that was asked for by name; None where this version does not know it."""
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
