# SPDX-License-Identifier: GPL-2.0-only
"""Finished runs of other directories, taken where all inputs are equal: exact counts do not age."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, UnsetType, structs

from kassay.errors import BadInput
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, open_directory
from kassay.journal.journal import append
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity, MachineUse
from kassay.model.plan import Cell, Perturbation, Plan, PlannedRun
from kassay.model.profile import TRACE
from kassay.model.program import ProgramUse
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, Setting, content_id, grouped
from kassay.model.run import Origin, RunRecord
from kassay.model.workload import Workload
from kassay.plan.expand import profile_of
from kassay.run.scheduler import owed
from kassay.supply.prepare.supply import Supply


class _Inputs(Record, frozen=True, kw_only=True):
    """All that the counts of a run and its artifacts depend on. Under exact clocks no host is part of it."""

    kernel: KernelIdentity
    cmdline: tuple[str, str]
    workload: Workload
    program: ProgramUse | UnsetType
    settings: tuple[Setting, ...]
    files: tuple[Setting, ...]
    machine: MachineIdentity
    plugin: str
    use: MachineUse
    cpu: str
    rounds: int
    boot: str
    quiesce: bool
    background: int
    profile: str | None
    perturbation: Perturbation


class _Finished(NamedTuple):
    """A finished run of another directory."""

    directory: Path
    origin: Origin
    record: RunRecord


def with_reused(
    folder: RunDirectory, records: tuple[RunRecord, ...], supply: Supply, directories: Sequence[Path], tell: Tell
) -> tuple[RunRecord, ...]:
    """The records of a journal, and those that it takes from other directories for runs that are still owed.

    A run that was made once stands for one run: two equal runs of a plan take two runs. Traced runs are never taken, as
    the rounds that they record depend on the other kernels of their plan.
    """
    plan = folder.plan
    if not directories or not plan.experiment.repeats_exactly or not (runs := owed(plan, records)):
        return records
    made = {record.run: _origin(folder, record) for record in records if record.outcome == "ok"}
    used = set(made.values())
    wanted = _keys(plan)
    candidates = grouped(_finished(directories, set(wanted.values()), folder.path, tell))
    cells = {cell.id: cell for cell in plan.cells}
    added: list[RunRecord] = []
    for run, attempt in runs:
        for found in candidates.get(wanted.get(run.id, ""), ()):
            if found.origin in used or _lacks(plan, run, cells[run.cell], found.record, supply):
                continue
            record = structs.replace(found.record, run=run.id, attempt=attempt, reused=found.origin)
            if _taken(folder, found, tell):
                append(folder.journal, record)
                used.add(found.origin)
                added.append(record)
                break
    if added:
        text = f"{len(added)} of {len(runs)} runs are those of other directories, with equal inputs"
        tell(Progress(stage="reuse", subject=folder.path.name, text=text))
    return (*records, *added)


def _keys(plan: Plan) -> dict[str, str]:
    """Hash of the inputs of each run that can be reused, by the run's id."""
    inputs = {cell.id: _inputs(plan, cell) for cell in plan.cells if plan.kernels[cell.kernel].image_sha256}
    keys = {}
    for run in plan.runs:
        profile = profile_of(plan.experiment, run)
        if run.cell in inputs and profile != TRACE and not run.control:
            whole = structs.replace(inputs[run.cell], profile=profile, perturbation=run.perturbation)
            keys[run.id] = content_id(whole)
    return keys


def _inputs(plan: Plan, cell: Cell) -> _Inputs:
    """The inputs of the plain runs of a cell, without a profile."""
    experiment, kernel = plan.experiment, plan.kernels[cell.kernel]
    files = (*plan.guest_sha256, *(plan.images or ()))
    shared = next((line.value for line in plan.cmdlines or () if line.name == str(cell.machine.cpus)), "")
    return _Inputs(
        # What the image's hash decides may be known to one plan and not to the other.
        kernel=structs.replace(kernel, ref="", source="", configuration=None, config_source="", config_sha256=None),
        cmdline=(shared, cell.cmdline), workload=plan.workload(cell.workload),
        program=experiment.program(cell.workload) or UNSET, settings=cell.settings,
        files=tuple(file for file in files if file.name in ("init", cell.workload)),
        machine=structs.replace(plan.machine, host="", container=UNSET), plugin=plan.plugin_sha256 or "unknown",
        use=cell.machine, cpu=cell.cpu, rounds=experiment.rounds, boot=experiment.boot, quiesce=experiment.quiesce,
        background=experiment.background, profile=None, perturbation=Perturbation(),
    )  # fmt: skip


def _finished(
    directories: Sequence[Path], wanted: set[str], apart_from: Path, tell: Tell
) -> Iterator[tuple[str, _Finished]]:
    """Key and run of every successful run that is wanted. Directories that cannot be read are reported and left out."""
    for directory in directories:
        if directory.absolute() == apart_from.absolute():
            continue
        try:
            other = open_directory(directory)
            records = other.records()
        except BadInput as error:
            tell(Progress(stage="reuse", subject=directory.name, text=f"not used: {error.what}"))
            continue
        if not other.plan.experiment.repeats_exactly:
            continue
        keys = _keys(other.plan)
        for record in records:
            if record.outcome == "ok" and (key := keys.get(record.run)) in wanted and key is not None:
                yield key, _Finished(directory, _origin(other, record), record)


def _origin(folder: RunDirectory, record: RunRecord) -> Origin:
    """The run that was made: the record's own, or the one that it was taken from."""
    return record.reused or Origin(plan=folder.plan_id, run=record.run)


def _lacks(plan: Plan, run: PlannedRun, cell: Cell, record: RunRecord, supply: Supply) -> bool:
    """True if the record lacks a profile or source lines that the run would have if it were made now."""
    if supply.no_profile or profile_of(plan.experiment, run) is None:
        return False
    plain = not run.perturbation.number
    return not record.profile_sha256 or bool(plain and supply.artifacts[cell.kernel].lines and not record.lines_sha256)


def _taken(folder: RunDirectory, found: _Finished, tell: Tell) -> bool:
    """Stores the artifacts of a run. False if one is missing or damaged where it comes from, which is reported."""
    try:
        for name in found.record.artifacts:
            artifacts.take(folder.path, name, found.directory)
    except BadInput as error:
        tell(Progress(stage="reuse", subject=found.record.run, text=f"made again: {error.what}"))
        return False
    return True
