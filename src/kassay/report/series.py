# SPDX-License-Identifier: GPL-2.0-only
"""Findings and ladders seen the same way: one metric over two or more kernels in order."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from kassay.model.finding import CHANGES, REFUSED, Finding, Ladder, LadderPoint, Side
from kassay.model.machine import MachineUse
from kassay.model.records import Record, Setting
from kassay.model.report import Report
from kassay.model.units import relative_change

_Key = tuple[str, str, tuple[Setting, ...], MachineUse, str, str]
_Subject = tuple[str | None, tuple[Setting, ...], MachineUse, tuple[str, ...]]


class KernelRow(Record, frozen=True, kw_only=True):
    """One kernel in a series."""

    kernel: str
    value: float | None
    n: int
    side: Side
    change: float | None = None
    """Change against the row before; None in the first row."""
    interval: tuple[float, float] | None = None
    verdict: str = ""
    """Verdict on the change; "" in the first row. If `since` is set, it is that step's verdict."""
    evidence: str = ""
    """Evidence for the verdict; "" in the first row."""
    since: str = ""
    """Kernel that a step reaches back to, if changes that were each inside the margin added up."""
    since_change: float | None = None
    """Change from the kernel `since`."""
    changed: str = ""
    """State of the lines that differ from the row before, a word of lines.STATES; empty if it is not known."""

    @property
    def step(self) -> bool:
        """True if the cost changed here by more than the margin."""
        return self.verdict in CHANGES


class MetricSeries(Record, frozen=True, kw_only=True):
    """One metric over kernels in order. workload, definition, better are None when no finding tells."""

    workload: str | None
    metric: str
    unit: str
    definition: str | None
    better: str | None
    primary: bool
    settings: tuple[Setting, ...]
    machine: MachineUse
    rows: tuple[KernelRow, ...]


class MetricGroup(Record, frozen=True, kw_only=True):
    """All metrics of one question: same workload, settings, machine and kernels."""

    lead: MetricSeries
    """Rows of the primary metric, or of the first metric."""
    series: tuple[MetricSeries, ...]
    across: tuple[MetricSeries, ...] = ()
    """Pairs of kernels that a ladder of this group holds but not as neighbours (its first against its last)."""


def ladders(report: Report, *, primary: bool = False) -> tuple[Ladder, ...]:
    """The report's ladders; empty where pairs are compared. primary: those of primary metrics only."""
    return tuple(ladder for ladder in report.ladders if ladder.primary or not primary)


def step_pairs(report: Report) -> set[tuple[str, str]]:
    """The two kernels of each step of a primary metric."""
    return {step.ends for ladder in ladders(report, primary=True) for step in ladder.steps}


def groups(report: Report) -> tuple[MetricGroup, ...]:
    """Every result of `report` in its order; nothing that it holds is left out."""
    by_subject: dict[_Subject, list[MetricSeries]] = {}
    across: dict[_Subject, list[MetricSeries]] = {}
    for series in all_series(report):
        subject = (series.workload, series.settings, series.machine, tuple(row.kernel for row in series.rows))
        ladder = next((key for key in by_subject if _holds(key, subject)), None)
        (by_subject.setdefault(subject, []) if ladder is None else across.setdefault(ladder, [])).append(series)
    return tuple(
        MetricGroup(
            lead=next((s for s in members if s.primary), members[0]), series=tuple(members),
            across=tuple(across.get(subject, [])),
        )
        for subject, members in by_subject.items()
    )  # fmt: skip


def refusals_before(rows: Sequence[KernelRow], first: str = "") -> tuple[str, ...]:
    """For each row the verdict with which its comparison, or one between it and the first row, was refused; else "".

    first: the verdict of the first row. A kernel without a value separates none of the others.
    """
    marks, latest, known = [first], first, rows[0].value is not None
    for row in rows[1:]:
        own = row.verdict if row.verdict in REFUSED else ""
        marks.append(own or latest)
        if own and known and row.value is not None:
            latest = own
        known = known or row.value is not None
    return tuple(marks)


def _holds(ladder: _Subject, pair: _Subject) -> bool:
    """True if `pair` is about two of the three or more kernels of `ladder`."""
    return ladder[:3] == pair[:3] and len(ladder[3]) > 2 and len(pair[3]) == 2 and {*pair[3]} < {*ladder[3]}


def all_series(report: Report) -> tuple[MetricSeries, ...]:
    """Every ladder, then every finding that is not a pair of neighbours in one of them."""
    index = {_key(f, *f.kernels): f for f in report.findings}
    covered = {_key(lad, a.kernel, b.kernel) for lad in report.ladders for a, b in pairwise(lad.points)}
    ladders = tuple(_of_ladder(ladder, index) for ladder in report.ladders)
    return ladders + tuple(_of_finding(f) for f in report.findings if _key(f, *f.kernels) not in covered)


def _key(of: Finding | Ladder, base: str, head: str) -> _Key:
    return (of.workload, of.metric, of.settings, of.machine, base, head)


def _of_ladder(ladder: Ladder, index: dict[_Key, Finding]) -> MetricSeries:
    pairs = [index.get(_key(ladder, a.kernel, b.kernel)) for a, b in pairwise(ladder.points)]
    rows = [KernelRow(kernel=p.kernel, value=p.value, n=p.n, side=p.side) for p in ladder.points[:1]]
    rows += [_next(ladder, a, b, f) for (a, b), f in zip(pairwise(ladder.points), pairs, strict=True)]
    return _series(ladder, next((f for f in pairs if f is not None), None), rows)


def _of_finding(f: Finding) -> MetricSeries:
    base = KernelRow(kernel=f.sides[0].kernel, value=f.base_value, n=f.n_base, side=f.sides[0])
    return _series(f, f, [base, _head(f)])


def _series(of: Finding | Ladder, finding: Finding | None, rows: Sequence[KernelRow]) -> MetricSeries:
    """finding: what tells the definition and the direction of the metric."""
    return MetricSeries(
        workload=of.workload, metric=of.metric, unit=of.unit, definition=finding.definition if finding else None,
        better=finding.better if finding else None, primary=of.primary, settings=of.settings, machine=of.machine,
        rows=tuple(rows),
    )  # fmt: skip


def _next(ladder: Ladder, before: LadderPoint, point: LadderPoint, finding: Finding | None) -> KernelRow:
    """The row of the pair's finding; without a finding that of the ladder's steps, where no step means equivalent."""
    if finding is not None:
        row = _crept(ladder, before, _head(finding))
        return _past_a_gap(ladder, row) if before.value is None and row.value is not None and not row.since else row
    steps = [s for s in ladder.steps if s.ends == (before.kernel, point.kernel)]
    change = steps[0].change if steps else relative_change(before.value, point.value)
    verdict = steps[0].verdict if steps else "equivalent" if change is not None else "inconclusive"
    return KernelRow(kernel=point.kernel, value=point.value, n=point.n, side=point.side, change=change, verdict=verdict)


def _crept(ladder: Ladder, before: LadderPoint, row: KernelRow) -> KernelRow:
    """The row, with the kernel that a step reaches back to when small changes added up to one."""
    back = [s for s in ladder.steps if s.to_kernel == row.kernel and s.from_kernel != before.kernel]
    if not back:
        return row
    return msgspec.structs.replace(row, since=back[0].from_kernel, verdict=back[0].verdict, since_change=back[0].change)


def _past_a_gap(ladder: Ladder, row: KernelRow) -> KernelRow:
    """The row after a kernel without a value: the ladder compared it with the last one that has one."""
    names = [point.kernel for point in ladder.points]
    earlier = [point for point in ladder.points[: names.index(row.kernel)] if point.value is not None]
    if not earlier or any(step.to_kernel == row.kernel for step in ladder.steps):
        return row
    last = earlier[-1]
    change = relative_change(last.value, row.value)
    return msgspec.structs.replace(row, change=change, verdict="equivalent", since=last.kernel, since_change=change)


def _head(f: Finding) -> KernelRow:
    return KernelRow(
        kernel=f.sides[1].kernel, value=f.head_value, n=f.n_head, side=f.sides[1], change=f.change,
        interval=f.interval, verdict=f.verdict, evidence=f.evidence,
        changed=f.changed.state if f.changed is not None else "",
    )  # fmt: skip
