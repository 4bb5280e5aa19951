# SPDX-License-Identifier: GPL-2.0-only
"""Times as pyperf's JSON, written by pyperf's own code: a benchmark for each kernel and metric, a run for each boot."""

import io
from collections import Counter
from itertools import takewhile
from typing import Any

from kassay.errors import BadInput
from kassay.model.finding import REFUSED
from kassay.model.report import Report
from kassay.model.texts import machine_text, one_line, settings_text
from kassay.report.formats import Format
from kassay.report.series import KernelRow, MetricSeries, groups

_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, "second": 1.0, "seconds": 1.0}


def render(report: Report) -> str:
    """One suite. Raises BadInput if nothing was timed, as pyperf's unit is the second, or if all is refused."""
    import pyperf

    every = (series for group in groups(report) for series in group.series)
    timed = [series for series in every if series.unit.partition("/")[0] in _PER_SECOND]
    pairs = [(series, row) for series in timed for row in _judged(series)]
    if not pairs and any(row.side.runs for series in timed for row in series.rows):
        raise BadInput(
            "--format pyperf: kassay refused every comparison of these times",
            "its file has no state of memory, so others would judge the boots; use --format json or csv",
        )
    if not pairs:
        raise BadInput(
            "--format pyperf: this report has no times of single boots, and pyperf knows nothing but seconds",
            "use --format csv or json" + ("" if report.sources else ", or measure with --clock kvm"),
        )
    names = _numbered([f"{series.workload or '-'} {series.metric} {row.kernel}" for series, row in pairs])
    benchmarks = [_benchmark(report, series, row, name) for (series, row), name in zip(pairs, names, strict=True)]
    text = io.StringIO()
    pyperf.BenchmarkSuite(benchmarks).dump(text, compact=False)
    return text.getvalue()


def _judged(series: MetricSeries) -> list[KernelRow]:
    """The kernels with times, up to the first comparison that was refused or in which a kernel differs from itself."""
    rows = [row for row in series.rows if row.side.runs]
    others = takewhile(lambda row: row.verdict not in REFUSED and row.evidence != "unstable", rows[1:])
    judged = [*rows[:1], *others]
    return judged if len(judged) > 1 or len(rows) == 1 else []


def _benchmark(report: Report, series: MetricSeries, row: KernelRow, name: str) -> Any:
    """Values in seconds per operation, and what they are of. Raises BadInput for a time of zero."""
    import pyperf

    counted, _, operation = series.unit.partition("/")
    if min(row.side.runs) <= 0:
        raise BadInput(
            f"--format pyperf: {name} has a time of zero, which pyperf does not take", "use --format csv or json"
        )
    metadata = {
        "name": name,
        "unit": "second",
        "description": one_line(series.definition or series.metric),
        "kassay_version": one_line(report.kassay_version),
        "kassay_kernel": one_line(row.kernel),
        "kassay_metric": one_line(series.metric),
        "kassay_operation": one_line(operation) or "-",
        "kassay_workload": one_line(series.workload or "-"),
        "kassay_settings": settings_text(series.settings),
        "kassay_machine": machine_text(series.machine),
    }
    values = [value / _PER_SECOND[counted] for value in row.side.runs]
    return pyperf.Benchmark([pyperf.Run([value], metadata=metadata, collect_metadata=False) for value in values])


def _numbered(names: list[str]) -> list[str]:
    """Unique names: from the second on, equal names (of other settings or machines) get a number."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in map(one_line, names):
        counts[name] += 1
        numbered.append(name if counts[name] == 1 else f"{name} #{counts[name]}")
    return numbered


FORMAT = Format(
    name="pyperf", suffix=".pyperf.json", summary="times for pyperf's tools (show, hist, compare_to)", render=render,
    whole=False, timed_only=True,
)  # fmt: skip
