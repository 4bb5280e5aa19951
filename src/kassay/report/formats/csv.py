# SPDX-License-Identifier: GPL-2.0-only
"""One value of one run a row, for spreadsheets, R and SQL; the columns are described in docs/reference/formats.md."""

from collections.abc import Iterator, Sequence

from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.report.csv_text import Cell, csv_text
from kassay.report.formats import Format
from kassay.report.series import KernelRow, MetricSeries, groups, refusals_before

COLUMNS = (
    "workload", "settings", "arch", "clock", "cpus", "memory_bytes", "metric", "unit", "better", "primary", "kernel",
    "kind", "run", "block", "value", "spread", "refused",
)  # fmt: skip
"""kind: plain, perturbed, failed (a run without a value), or mean (of a file that has no single values). refused: the
verdict with which the comparison of this kernel with an earlier one was refused; its values are not to be compared."""


def render(report: Report) -> str:
    """A header and the rows, in the report's order; what is absent is empty, numbers are unrounded."""
    return csv_text(COLUMNS, _rows(report))


def _rows(report: Report) -> Iterator[tuple[Cell, ...]]:
    every = [series for group in groups(report) for series in group.series]
    refused = _refused(every)
    for series in every:
        for row in series.rows:
            subject = (*_subject(series), one_line(row.kernel))
            yield from ((*subject, *values, refused[subject]) for values in _values(row))


def _refused(every: Sequence[MetricSeries]) -> dict[tuple[Cell, ...], str]:
    """The verdict that refused each subject and kernel, in any series; "" if none did."""
    refused: dict[tuple[Cell, ...], str] = {}
    for series in every:
        subjects = [(*_subject(series), one_line(row.kernel)) for row in series.rows]
        marks = refusals_before(series.rows, refused.get(subjects[0], ""))
        refused |= {subject: refused.get(subject) or mark for subject, mark in zip(subjects, marks, strict=True)}
    return refused


def _subject(series: MetricSeries) -> tuple[Cell, ...]:
    m = series.machine
    settings = one_line(" ".join(f"{s.name}={s.value}" for s in (*series.settings, *m.chosen)))
    point = (one_line(series.workload or ""), settings, one_line(m.arch), m.clock, m.cpus, m.memory_bytes)
    metric = (one_line(series.metric), one_line(series.unit), series.better or "", "yes" if series.primary else "no")
    return (*point, *metric)


def _values(row: KernelRow) -> Iterator[tuple[Cell, ...]]:
    """kind, run (from 1), block, value, spread: every run of one kernel."""
    side = row.side
    blocks = side.blocks if len(side.blocks) == len(side.runs) else (None,) * len(side.runs)
    for number, (block, value) in enumerate(zip(blocks, side.runs, strict=True), 1):
        yield "plain", number, block, value, None
    for number, value in enumerate(side.perturbed, 1):
        yield "perturbed", number, None, value, None
    for number in range(1, side.failed + 1):
        yield "failed", number, None, None, None
    if not side.runs and row.value is not None:
        yield "mean", None, None, row.value, side.spread


FORMAT = Format(
    name="csv", suffix=".csv", summary="every value of every run, a row each", render=render, whole=False
)  # fmt: skip
