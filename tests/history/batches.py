# SPDX-License-Identifier: GPL-2.0-only
"""Small batches for tests: one or more kernels, each run one value."""

from collections.abc import Mapping, Sequence

from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.tools.history.records import (
    Batch,
    ComparisonDetail,
    StoredComparison,
    StoredKernel,
    StoredRun,
    StoredSample,
    StoredSeries,
)

MACHINE = MachineUse(arch="x86_64", clock="icount", cpus=1, memory_bytes=1 << 30)


def series(metric: str = "iteration", clock: str = "icount", **changes: object) -> StoredSeries:
    """One series of counts."""
    use = MachineUse(arch="x86_64", clock=clock, cpus=1, memory_bytes=1 << 30)
    fields: dict[str, object] = {
        "workload": "w", "metric": metric, "unit": "instructions/page", "better": "lower",
        "settings": (Setting(name="size", value="8MiB"),), "machine": use,
        "conditions": (Setting(name="kernel parameters", value=""), Setting(name="boot", value="short")),
        "primary": True, **changes,
    }  # fmt: skip
    return StoredSeries(**fields)  # type: ignore[arg-type]


def kernel(release: str) -> StoredKernel:
    """A kernel of the archive."""
    return StoredKernel(name=f"debian:{release}", ref=f"debian:{release}-1", release=release, arch="x86_64",
                        image_sha256=f"image {release}", compiler="gcc 12")  # fmt: skip


def run(name: str, number: int, outcome: str = "ok", attempts: int = 1) -> StoredRun:
    return StoredRun(name=name, kernel=number, outcome=outcome, attempts=attempts, perturbation=0, control=False,
                     block=0, started_utc="2026-11-21T17:05:49Z")  # fmt: skip


def batch(runs: int, plan: str = "plan", of: StoredSeries | None = None) -> Batch:
    """Two kernels, `runs` runs of each; values 100, 101, ... and 200, 201, ..."""
    values = {"6.12": [100.0 + i for i in range(runs)], "6.17": [200.0 + i for i in range(runs)]}
    return batch_of(values, plan, of)


def batch_of(values: Mapping[str, Sequence[float]], plan: str = "plan", of: StoredSeries | None = None) -> Batch:
    """Values of each release, one a run."""
    flat = [(number, value) for number, ones in enumerate(values.values()) for value in ones]
    return Batch(
        plan=plan, session="s", kind="run", name="n", directory=f"/d/{plan}", experiment="",
        kernels=tuple(kernel(release) for release in values), series=(of or series(),),
        runs=tuple(run(f"r{i}", number) for i, (number, _) in enumerate(flat)),
        samples=tuple(
            StoredSample(series=0, kernel=number, run=i, value=value, counted=True)
            for i, (number, value) in enumerate(flat)
        ),
    )  # fmt: skip


def compared(verdict: str, *reasons: str) -> StoredComparison:
    """Verdict on the two kernels of a batch."""
    return StoredComparison(series=0, base=0, head=1, verdict=verdict, evidence="partial", change=None, low=None,
                            high=None, floor=None, base_value=1.0, head_value=2.0, base_n=2, head_n=2,
                            detail=ComparisonDetail(reasons=reasons))  # fmt: skip
