# SPDX-License-Identifier: GPL-2.0-only
"""Imported results -> the values they have for the archive."""

from collections.abc import Iterator

from kassay.history.records import Batch, StoredKernel, StoredRun, StoredSample, StoredSeries
from kassay.model.machine import MachineUse
from kassay.model.records import Setting, content_id
from kassay.model.samples import ImportedKernel, Samples, SampleSeries, Spread


def batch_of(samples: Samples, directory: str) -> Batch:
    """Every value of every series; a printed mean stands for itself."""
    plan = content_id(samples)
    order = {kernel.label: index for index, kernel in enumerate(samples.kernels)}
    series: dict[str, int] = {}
    kept: list[StoredSeries] = []
    runs: list[StoredRun] = []
    values: list[StoredSample] = []
    for number, one in enumerate(samples.series):
        made = _series(samples, one, plan)
        if made.id not in series:
            series[made.id] = len(kept)
            kept.append(made)
        for run, spread, value in _values(one, order[one.kernel], number):
            if value is not None:
                values.append(StoredSample(
                    series=series[made.id], kernel=run.kernel, run=len(runs), value=value, counted=True,
                    printed=spread is not None, deviation=spread.deviation if spread else None,
                    told=spread.n if spread else None,
                ))  # fmt: skip
            runs.append(run)
    return Batch(
        plan=plan, session="", kind="import", name=samples.name, directory=directory, experiment="",
        kernels=tuple(_kernel(kernel) for kernel in samples.kernels), series=tuple(kept), runs=tuple(runs),
        samples=tuple(values),
    )  # fmt: skip


def _values(one: SampleSeries, kernel: int, number: int) -> Iterator[tuple[StoredRun, Spread | None, float | None]]:
    for index, sample in enumerate(one.samples):
        outcome = "ok" if sample.value is not None else "failed"
        name = f"{number}-{index} {sample.run}".strip()
        yield _run(name, kernel, outcome, sample.block, sample.started_utc), None, sample.value
    if one.spread is not None:
        yield _run(f"{number}-mean", kernel, "ok", None, ""), one.spread, one.spread.mean


def _run(name: str, kernel: int, outcome: str, block: int | None, started: str) -> StoredRun:
    return StoredRun(name=name, kernel=kernel, outcome=outcome, attempts=1, perturbation=0, control=False, block=block,
                     started_utc=started)  # fmt: skip


def _kernel(kernel: ImportedKernel) -> StoredKernel:
    return StoredKernel(name=kernel.label, ref="", release=kernel.release, arch=kernel.arch, compiler=kernel.compiler,
                        commit=kernel.commit)  # fmt: skip


def _series(samples: Samples, one: SampleSeries, plan: str) -> StoredSeries:
    """What is unknown cannot be shown to be equal: without a machine in words a file stays alone."""
    arches = {kernel.arch for kernel in samples.kernels}
    arch = arches.pop() if len(arches) == 1 else None
    machine = samples.machine if samples.machine != "unknown" else f"unknown, of import {plan[:12]}"
    formats = sorted({source.format for source in samples.sources})
    conditions = {"machine": machine, "format": ", ".join(formats), "replication": samples.replication}
    return StoredSeries(
        workload=one.workload, metric=one.metric, unit=one.unit, better=one.better, settings=one.settings,
        machine=MachineUse(arch=arch or "unknown", clock="imported", cpus=one.cpus, memory_bytes=one.memory_bytes),
        conditions=tuple(Setting(name=name, value=value) for name, value in conditions.items()),
        definition=one.definition, primary=one.primary,
    )  # fmt: skip
