# SPDX-License-Identifier: GPL-2.0-only
"""A sample of a suite: four workloads on three kernels, one function that changed in three of them."""

from itertools import pairwise

from msgspec.structs import replace

from kassay.analysis.causes import causes
from kassay.model.experiment import WorkloadUse, labels
from kassay.model.finding import Attribution, AttributionRow, Finding
from kassay.model.report import Report
from kassay.report.overview import with_overview
from tests.report.parts import KERNELS, finding, ladder_of, report_of

VALUES: dict[str, tuple[float | None, ...]] = {
    "fork_exit": (1000.0, 1000.0, 1090.0),
    "brk_cycle": (200.0, 100.0, 109.0),
    "pipe_write": (500.0, 500.0, 500.5),
    "mlock_cycle": (300.0, None, 300.0),
}
_NEW = "folio_add_lru"


def _itemised(f: Finding, calls: float) -> Finding:
    """The whole difference is in one function, which both kernels call as often."""
    if f.base_value is None or f.head_value is None or f.change is None:
        return f
    total = f.head_value - f.base_value
    row = AttributionRow(function=_NEW, base=10.0, head=10.0 + total, delta=total, base_calls=calls, head_calls=calls)
    itemised = Attribution(total=total, rows=(row,), unattributed=0.0, sentence=f"{total:+g}: {_NEW} {total:+g}")
    return replace(f, attribution=itemised)


def suite() -> Report:
    """Report of a ladder of a suite."""
    kernels = KERNELS[:3]
    findings, ladders = [], []
    for name, values in VALUES.items():
        points = list(zip(kernels, values, strict=True))
        for (a, x), (b, y) in (*pairwise(points), (points[0], points[2])):
            made = replace(finding(a, b, (x, y)), workload=name)
            findings.append(_itemised(made, 10.0 if name == "fork_exit" else 1.0))
        ladders.append(replace(ladder_of("iteration", kernels, values), workload=name))
    report = report_of(kernels, findings=tuple(findings), ladders=tuple(ladders))
    uses = tuple(WorkloadUse(name=name) for name in VALUES)
    report = replace(report, experiment=replace(report.experiment, workloads=uses))
    return with_overview(report, causes(findings, labels(report.experiment)), "kassay-out")
