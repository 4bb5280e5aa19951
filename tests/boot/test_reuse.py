# SPDX-License-Identifier: GPL-2.0-only
"""Runs of another directory are taken where they would have the same digits; only the new kernel boots."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from kassay import pipeline
from kassay.journal.directory import open_directory
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.spec.load import check

pytestmark = pytest.mark.boot


def experiment(question: str, *kernels: str) -> Experiment:
    uses = tuple(KernelUse(ref=ref, draw=int(ref.replace("debian:6.", ""))) for ref in kernels)
    workload = WorkloadUse(name="mprotect_toggle", axes=(Axis(name="size", values=("2MiB",)),))
    asked = Experiment(
        name="reuse",
        question=question,
        kernels=uses,
        workloads=(workload,),
        rounds=8,
        repeats=1,
        perturb=1,
        boot="snapshot",
    )
    return check(asked, "test")


def values(directory: Path) -> list[Any]:
    report = pipeline.answer(directory)
    return [[structs.asdict(side) for side in finding.sides] for finding in report.findings]


def test_only_the_new_kernel_is_measured_and_the_values_are_those_of_a_fresh_directory(tmp_path: Path) -> None:
    pipeline.measure(experiment("value", "debian:6.16"), tmp_path / "value", silent)
    pair = experiment("compare", "debian:6.16", "debian:6.17")
    pipeline.measure(pair, tmp_path / "pair", silent, reuse=(tmp_path / "value",))
    pipeline.measure(pair, tmp_path / "fresh", silent)
    folder = open_directory(tmp_path / "pair")
    kernels = {cell.id: folder.plan.kernels[cell.kernel].release for cell in folder.plan.cells}
    cell_of = {run.id: run.cell for run in folder.plan.runs}
    made = {kernels[cell_of[record.run]][:4] for record in folder.records() if not record.reused}
    taken = {kernels[cell_of[record.run]][:4] for record in folder.records() if record.reused}
    assert (made, taken) == ({"6.17"}, {"6.16"})
    assert values(tmp_path / "pair") == values(tmp_path / "fresh")
    fresh = {record.run: record for record in open_directory(tmp_path / "fresh").records()}
    for record in folder.records():
        assert record.stream_sha256 == fresh[record.run].stream_sha256
        assert record.profile_sha256 == fresh[record.run].profile_sha256
