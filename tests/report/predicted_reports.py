# SPDX-License-Identifier: GPL-2.0-only
"""A sample report with predictions: one CPU that was calibrated, one from published data, one that is refused."""

from msgspec.structs import replace

from kassay.model.experiment import Axis, WorkloadUse
from kassay.model.finding import Finding
from kassay.model.prediction import PredictedCause, PredictedRow, Prediction
from kassay.model.reason import reason
from kassay.model.report import Report
from tests.report.parts import KERNELS, MACHINE, finding, report_of

_ROWS = (
    ("change_pte_range", 20.0, 21.5, 160.0, 150.0, (("tlb", 12.0, 12.0), ("width", 8.0, 9.5))),
    ("prot_commit_flush_ptes", 0.0, 9.75, 0.0, 328.0, (("width", 0.0, 6.25), ("dependency", 0.0, 3.5))),
    ("vm_normal_page", 0.0, 4.25, 0.0, 66.0, (("width", 0.0, 4.25),)),
    ("measure", 18.0, 20.5, 24.8, 24.8, (("atomics", 10.0, 10.25), ("memory", 8.0, 10.25))),
)  # fmt: skip


def _row(name: str, base: float, head: float, few: float, many: float, causes: object) -> PredictedRow:
    assert isinstance(causes, tuple)
    return PredictedRow(
        function=name, base_ns=base, head_ns=head, base_instructions=few, head_instructions=many,
        causes=tuple(PredictedCause(cause=c, base_ns=b, head_ns=h) for c, b, h in causes),
    )  # fmt: skip


def prediction() -> Prediction:
    """38 to 56 ns, of which every cause and every function has its part."""
    rows = tuple(sorted((_row(*one) for one in _ROWS), key=lambda row: -abs(row.delta_ns)))
    sums: dict[str, tuple[float, float]] = {}
    for row in rows:
        for c in row.causes:
            base, head = sums.get(c.cause, (0.0, 0.0))
            sums[c.cause] = (base + c.base_ns, head + c.head_ns)
    base, head = sum(r.base_ns for r in rows), sum(r.head_ns for r in rows)
    change = head / base - 1
    return Prediction(
        cpu="zen3", calibrated=True, base_ns=base, head_ns=head, change=change, interval=(0.35, 0.61), level=0.9,
        causes=tuple(PredictedCause(cause=c, base_ns=b, head_ns=h) for c, (b, h) in sums.items()), rows=rows,
        base_instructions=301.6, head_instructions=672.6, base_rounds=(37.9, 38.1), head_rounds=(56.0, 56.0),
        meaning=reason("counts-over-state", counts=1.23, time=change, cpu="zen3", low=0.35, high=0.61,
                       more_or_fewer="more", each=(head - base) / 371.0, before=base / 301.6),
        doubts=(reason("other-cpu-booted", booted="qemu64"),), model="5f1d0c7a",
    )  # fmt: skip


def with_predictions(f: Finding) -> Finding:
    """The finding with predictions of every kind."""
    known = prediction()
    published = replace(known, cpu="alderlake_p", calibrated=False, interval=(0.33, 0.74), meaning=None, doubts=())
    refused = Prediction(
        cpu="skylake_sp", calibrated=False, base_ns=40.0, head_ns=61.0, model="5f1d0c7a",
        refused=reason("instructions-without-data", share=0.081, forms=(("vpconflictd ymm, ymm", 0),)),
    )  # fmt: skip
    return replace(f, predictions=(known, published, refused))


def predicted() -> Report:
    """Two kernels, counted and predicted."""
    return report_of(
        KERNELS[1:3],
        title="Does debian:6.17.13 cost more than debian:6.16.12?",
        verdict="Yes: 672.6 instead of 301.6 instructions/page (+123.0 %).",
        findings=(with_predictions(finding(KERNELS[1], KERNELS[2], (301.6, 672.6))),),
    )


def several(*cpus: str) -> Report:
    """Two kernels and two workloads, counted and predicted on each of these booted CPUs."""
    values = {"mprotect": (301.6, 672.6), "unmap": (1000.0, 1010.0)}
    machines = [replace(MACHINE, cpu=cpu) for cpu in cpus]
    findings = tuple(
        replace(with_predictions(finding(KERNELS[1], KERNELS[2], pair)), workload=name, machine=machine)
        for name, pair in values.items() for machine in machines
    )  # fmt: skip
    report = report_of(KERNELS[1:3], verdict="Two changed.", findings=findings)
    uses = tuple(WorkloadUse(name=name, axes=(Axis(name="size", values=("64MiB",)),)) for name in values)
    return replace(report, experiment=replace(report.experiment, workloads=uses))
