# SPDX-License-Identifier: GPL-2.0-only
"""Small evidence for tests of the analysis."""

from collections.abc import Sequence

from kassay.model.finding import Side
from kassay.model.guest import PhaseRounds, Requirement
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineUse
from kassay.model.plan import Cell
from kassay.model.profile import RegionSummary
from kassay.model.run import CellEvidence, CheckedRequirement, Fields, Measurement, RunRecord, WallTime

STATE: Fields = (("range.AnonHugePages", "0"), ("range.Rss", "8192"), ("range.vmas", "1"))


def side(kernel: str, *values: float, perturbed: Sequence[float] = (), failed: int = 0) -> Side:
    """Boots two to a block, as timed runs are made."""
    return Side(
        kernel=kernel, value=values[0] if values else None, method="mode", runs=tuple(values),
        perturbed=tuple(perturbed), rounds=tuple(values), warmup=(), failed=failed, failed_tries=failed,
        blocks=tuple(index // 2 for index in range(len(values))),
    )  # fmt: skip


def measurement(ticks: Sequence[int], *, perturbation: int = 0, repeat: int = 0, run: str = "", block: int = 0,
                control: bool = False, before: Fields = STATE,
                after: Fields = STATE, holds: bool | None = True,
                foreign: tuple[tuple[str, int], ...] | None = (),
                region: RegionSummary | None = None, quiescence: str | None = None) -> Measurement:  # fmt: skip
    wanted = Requirement(moment="before", field="range.vmas", operator="==", value="1")
    return Measurement(
        run=run or f"run-{repeat}", repeat=repeat, perturbation=perturbation, block=block, control=control,
        phases=(PhaseRounds(phase="iteration", operations=10, ticks=tuple(ticks)),),
        ns_per_tick=1.0, before=before, after=after,
        requirements=(CheckedRequirement(requirement=wanted, found="1", holds=holds),),
        foreign_ns=foreign, region_ns=1_000_000, region=region, quiescence=quiescence,
    )  # fmt: skip


def evidence(ref: str, *measurements: Measurement, index: int = 0, failures: Sequence[str] = ()) -> CellEvidence:
    cell = Cell(
        id=f"c{index}", kernel=index, workload="w", settings=(), cmdline="", setting_key="k",
        machine=MachineUse(arch="x86_64", clock="icount", cpus=1, memory_bytes=1 << 30),
    )  # fmt: skip
    records = tuple(
        RunRecord(run=f"{ref}-{i}", attempt=1, outcome=outcome, detail="why", stream_sha256=None, console_sha256=None,
                  wall=WallTime(), argv=(), started_utc="")
        for i, outcome in enumerate(failures)
    )  # fmt: skip
    kernel = KernelIdentity(ref=ref, arch="x86_64", release=ref, image_sha256="0")
    return CellEvidence(
        cell=cell, kernel=kernel, label=ref, measurements=measurements, failures=records, lost=len(failures)
    )
