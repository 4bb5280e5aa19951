# SPDX-License-Identifier: GPL-2.0-only
"""A directory of own runs or an imported one -> the values it has for the archive, one for each run and metric."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kassay.analysis.rounds import method_of, run_value
from kassay.evidence.collect import collect
from kassay.journal.directory import RunDirectory, open_directory, pinned
from kassay.journal.journal import read_journal
from kassay.model.build import parse_build
from kassay.model.experiment import APART, labels
from kassay.model.kernel import KernelIdentity, exact_ref, parse_ref, with_build
from kassay.model.machine import MachineUse, Point
from kassay.model.plan import Plan
from kassay.model.progress import Tell, silent
from kassay.model.records import Setting, content_id, to_json
from kassay.model.run import CellEvidence, RunRecord
from kassay.model.samples import ImportedKernel, Samples, SampleSeries, Spread
from kassay.model.workload import Phase
from kassay.supply.clocks import clock_of
from kassay.tools.history.comparisons import SeriesIndex, compared
from kassay.tools.history.records import Batch, StoredKernel, StoredRun, StoredSample, StoredSeries
from kassay.tools.imports import store


def batch_of(samples: Samples, directory: str) -> Batch:
    """Every value of every series; a printed mean counts as one value."""
    plan = content_id(samples)
    order = {kernel.label: index for index, kernel in enumerate(samples.kernels)}
    series: dict[str, int] = {}
    all_series: list[StoredSeries] = []
    runs: list[StoredRun] = []
    values: list[StoredSample] = []
    for number, sample_series in enumerate(samples.series):
        stored = _imported_series(samples, sample_series, plan)
        if stored.id not in series:
            series[stored.id] = len(all_series)
            all_series.append(stored)
        for run, spread, value in _imported_values(sample_series, order[sample_series.kernel], number):
            if value is not None:
                values.append(StoredSample(
                    series=series[stored.id], kernel=run.kernel, run=len(runs), value=value, counted=True,
                    printed=spread is not None, deviation=spread.deviation if spread else None,
                    told=spread.n if spread else None,
                ))  # fmt: skip
            runs.append(run)
    return Batch(
        plan=plan, session="", kind="import", name=samples.name, directory=directory, experiment="",
        kernels=tuple(_imported_kernel(kernel) for kernel in samples.kernels), series=tuple(all_series),
        runs=tuple(runs), samples=tuple(values),
    )  # fmt: skip


def _imported_values(
    sample_series: SampleSeries, kernel: int, number: int
) -> Iterator[tuple[StoredRun, Spread | None, float | None]]:
    for index, sample in enumerate(sample_series.samples):
        outcome = "ok" if sample.value is not None else "failed"
        name = f"{number}-{index} {sample.run}".strip()
        yield _imported_run(name, kernel, outcome, sample.block, sample.started_utc), None, sample.value
    if sample_series.spread is not None:
        yield _imported_run(f"{number}-mean", kernel, "ok", None, ""), sample_series.spread, sample_series.spread.mean


def _imported_run(name: str, kernel: int, outcome: str, block: int | None, started: str) -> StoredRun:
    return StoredRun(name=name, kernel=kernel, outcome=outcome, attempts=1, perturbation=0, control=False, block=block,
                     started_utc=started)  # fmt: skip


def _imported_kernel(kernel: ImportedKernel) -> StoredKernel:
    return StoredKernel(name=kernel.label, ref="", release=kernel.release, arch=kernel.arch, compiler=kernel.compiler,
                        commit=kernel.commit)  # fmt: skip


def _imported_series(samples: Samples, imported: SampleSeries, plan: str) -> StoredSeries:
    """The series in the archive. An unknown machine is named after its import, so that it equals no other machine."""
    arches = {kernel.arch for kernel in samples.kernels}
    arch = arches.pop() if len(arches) == 1 else None
    machine = samples.machine if samples.machine != "unknown" else f"unknown, of import {plan[:12]}"
    formats = sorted({source.format for source in samples.sources})
    conditions = {"machine": machine, "format": ", ".join(formats), "replication": samples.replication}
    return StoredSeries(
        workload=imported.workload, metric=imported.metric, unit=imported.unit, better=imported.better,
        settings=imported.settings, machine=MachineUse(arch=arch or "unknown", clock="imported", cpus=imported.cpus,
                                                       memory_bytes=imported.memory_bytes),
        conditions=tuple(Setting(name=name, value=value) for name, value in conditions.items()),
        definition=imported.definition, primary=imported.primary,
    )  # fmt: skip


def gather(directory: Path, tell: Tell = silent) -> Batch:
    """Contents of a directory of runs or of an import. Raises BadInput for any other directory."""
    if store.is_import(directory):
        return batch_of(store.load(directory), str(directory.absolute()))
    folder = open_directory(directory)
    records = folder.records()
    evidence = collect(folder, records, tell)
    runs = _runs(folder.plan, records)
    indexes, series, samples = _values(folder, evidence, {run.name: index for index, run in enumerate(runs)})
    found = compared(folder, records, evidence, indexes, tell)
    return Batch(
        plan=folder.plan_id, session=_session(read_journal(folder.journal)), former_session=_session(records),
        kind="run", name=folder.plan.experiment.name, directory=str(directory.absolute()),
        experiment=to_json(pinned(folder.plan)).decode(), kernels=_kernels(folder.plan), series=series, runs=runs,
        samples=samples, comparisons=found.comparisons, costs=found.costs, workloads=folder.plan.workloads,
    )  # fmt: skip


def _session(records: Sequence[RunRecord]) -> str:
    """Id of a measurement: the journal's first record, which stays when later ones replace it or add to it."""
    return content_id(records[0])[:12] if records else ""


def _kernels(plan: Plan) -> tuple[StoredKernel, ...]:
    names = labels(plan.experiment)
    return tuple(
        StoredKernel(
            name=name, ref=_ref(kernel), release=kernel.release, arch=kernel.arch, compiler=kernel.compiler,
            image_sha256=kernel.image_sha256, config_sha256=kernel.config_sha256,
        )
        for name, kernel in zip(names, plan.kernels, strict=True)
    )  # fmt: skip


def _ref(kernel: KernelIdentity) -> str:
    """A reference to this very kernel. That of a row of a patch series names its tree alone: it gets its patches."""
    text = exact_ref(kernel)
    if kernel.build is None or not kernel.build.patches:
        return text
    ref = parse_ref(text, kernel.arch or "x86_64")
    build = parse_build(ref.locator)
    return text if build.patches else with_build(ref, msgspec.structs.replace(build, patches=kernel.build.patches))


def _runs(plan: Plan, records: Sequence[RunRecord]) -> tuple[StoredRun, ...]:
    """Each run that was tried, as its last attempt left it."""
    last = {record.run: record for record in records}
    kernel = {cell.id: cell.kernel for cell in plan.cells}
    return tuple(
        StoredRun(
            name=run.id, kernel=kernel[run.cell], outcome=last[run.id].outcome, attempts=last[run.id].attempt,
            perturbation=run.perturbation.number, control=run.control, block=run.block,
            started_utc=last[run.id].started_utc, origin=last[run.id].reused or None,
        )
        for run in plan.runs if run.id in last
    )  # fmt: skip


def _values(
    folder: RunDirectory, evidence: Sequence[CellEvidence], run_indexes: dict[str, int]
) -> tuple[SeriesIndex, tuple[StoredSeries, ...], tuple[StoredSample, ...]]:
    """Index of each point's series, the series, and their samples."""
    indexes: dict[tuple[Point, str], int] = {}
    by_id: dict[str, tuple[int, StoredSeries]] = {}
    samples = []
    for item in evidence:
        group = [other for other in evidence if other.cell.setting_key == item.cell.setting_key]
        for phase in _phases(folder.plan, item):
            method = method_of(group, phase.name)
            stored = _series(folder.plan, item, phase, f"{method} of its rounds")
            index, _ = by_id.setdefault(stored.id, (len(by_id), stored))
            indexes[item.cell.point, phase.name] = index
            samples += [
                StoredSample(series=index, kernel=item.cell.kernel, run=run_indexes[m.run], counted=m.plain,
                             value=run_value(m, phase.name, method))
                for m in item.measurements if m.deferred != "not known"
            ]  # fmt: skip
    return indexes, tuple(series for _, series in by_id.values()), tuple(samples)


def _phases(plan: Plan, item: CellEvidence) -> list[Phase]:
    workload = next(w for w in plan.workloads if w.name == item.cell.workload)
    measured = {phase.phase for phase in item.measurements[0].phases} if item.measurements else set()
    return [phase for phase in workload.phases if phase.name in measured]


def _series(plan: Plan, item: CellEvidence, phase: Phase, method: str) -> StoredSeries:
    unit = f"{clock_of(item.cell.machine.clock).unit}/{phase.operation}"
    conditions = {"value": method, **_conditions(plan, item)}
    return StoredSeries(
        workload=item.cell.workload, metric=phase.name, unit=unit, better="lower",
        settings=item.cell.settings, machine=_sized(item.cell.machine),
        conditions=tuple(Setting(name=name, value=value) for name, value in conditions.items()),
        definition=phase.definition, primary=phase.primary,
    )  # fmt: skip


def _sized(machine: MachineUse) -> MachineUse:
    """The part of the machine that the archive has columns for; the rest that was chosen is a condition."""
    return MachineUse(arch=machine.arch, clock=machine.clock, cpus=machine.cpus, memory_bytes=machine.memory_bytes)


def _conditions(plan: Plan, item: CellEvidence) -> dict[str, str]:
    """All that moves values and is neither workload setting nor kernel. Exact counts do not depend on host and profile;
    times do."""
    experiment, machine = plan.experiment, plan.machine
    guest = {program.name: program.value for program in plan.guest_sha256}
    conditions = {
        "rounds": str(experiment.rounds), "boot": experiment.boot, "kernel parameters": item.cell.cmdline,
        "flavour": experiment.flavour, "waits until quiet": "yes" if experiment.quiesce else "no",
        "background tasks": str(experiment.background), "emulator": machine.program, "accelerator": machine.accelerator,
        "machine options": " ".join(machine.options), "program": guest.get(item.cell.workload, ""),
        "init": guest.get("init", ""), **({"plugin": plan.plugin_sha256} if plan.plugin_sha256 else {}),
        **({"machine": experiment.machine} if experiment.machine else {}),
        **{setting.name: setting.value for setting in item.cell.machine.chosen},
        **({"cpu": item.cell.cpu} if item.cell.cpu else {}),
        **({"deferred work": APART} if experiment.apart else {}),
        **({"boot parameters": shared} if (shared := plan.cmdline(item.cell.machine.cpus)) else {}),
    }  # fmt: skip
    if not experiment.depends_on_host:
        return conditions
    host = {"host": machine.host, **({"host id": machine.host_id} if machine.host_id else {})}
    return {**conditions, **host, "profile": experiment.profile}
