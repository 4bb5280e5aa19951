# SPDX-License-Identifier: GPL-2.0-only
"""Small histories with function costs: one workload, stock kernels, costs as a test gives them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import structs

from kassay.model.records import Setting
from kassay.model.workload import Parameter, Workload
from kassay.tools.history.add import add
from kassay.tools.history.archive import writing
from kassay.tools.history.records import Batch, ComparisonDetail, StoredComparison, StoredCost
from tests.history.batches import batch_of, series

Costs = Mapping[str, Mapping[str, tuple[float, float | None]]]
"""By release the own cost of each function, and its cost with all that it calls."""
CONDITIONS = {
    "kernel parameters": "", "boot": "short", "rounds": "2", "flavour": "cloud", "waits until quiet": "yes",
    "background tasks": "0", "emulator": "QEMU 7.2", "machine options": "-cpu qemu64,+rdrand -smp 1",
}  # fmt: skip


def costs_batch(
    costs: Costs, workload: str = "w", *, values: Sequence[float] = (1000.0, 1000.0), verdict: str = "equivalent",
    settings: Mapping[str, str] | None = None, conditions: Mapping[str, str] | None = None,
) -> Batch:  # fmt: skip
    """Two runs of each kernel. Each kernel is compared with the next one, with this verdict; "" for no comparison."""
    settings = {"size": "8MiB"} if settings is None else settings
    of = series(
        workload=workload, settings=tuple(Setting(name=name, value=value) for name, value in settings.items()),
        conditions=tuple(
            Setting(name=name, value=value) for name, value in {**CONDITIONS, **(conditions or {})}.items()
        ),
    )  # fmt: skip
    ones = {release: [value, value] for release, value in zip(costs, values, strict=True)}
    described = Workload(
        describe="kassay-workload/1", name=workload, summary="does it", subject="Doing it", state="small pages",
        phases=(), parameters=tuple(
            Parameter(name=name, kind="size", unit="bytes", default=value, summary="bytes")
            for name, value in {"size": "8MiB"}.items() if name in settings
        ),
    )  # fmt: skip
    compared = tuple(
        StoredComparison(
            series=0, base=base, head=base + 1, verdict=verdict, evidence="exact", change=0.0, low=None, high=None,
            floor=0.001, base_value=1.0, head_value=1.0, base_n=2, head_n=2,
            detail=ComparisonDetail(reasons=("the reason",), version="1"),
        )
        for base in range(len(costs) - 1)
    )  # fmt: skip
    return structs.replace(
        batch_of(ones, plan=f"{workload}{settings}", of=of), workloads=(described,),
        comparisons=compared if verdict else (),
        costs=tuple(
            StoredCost(series=0, kernel=number, function=name, own=own, whole=whole, calls=1.0)
            for number, by_name in enumerate(costs.values()) for name, (own, whole) in by_name.items()
        ),
    )  # fmt: skip


def history(path: Path, *batches: Batch) -> Path:
    """A history with these batches."""
    with writing(path) as archive:
        for batch in batches:
            add(archive, batch)
    return path
