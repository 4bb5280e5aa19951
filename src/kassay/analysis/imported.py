# SPDX-License-Identifier: GPL-2.0-only
"""Others' results -> findings, by the rules of timed runs; what the file does not record weakens the evidence."""

from fractions import Fraction
from itertools import pairwise
from math import fsum
from statistics import median

from kassay.analysis.confounders import compilers
from kassay.analysis.difference_text import Share, difference_text
from kassay.analysis.exact import Judgement, judgement_without_estimate
from kassay.analysis.imported_work import other_work
from kassay.analysis.session import judged_together
from kassay.analysis.statistics.planning import threshold
from kassay.analysis.steps import in_accord, ladder_of, with_steps
from kassay.analysis.timed import ORDER_DOUBTS, Session, judge_times
from kassay.model.finding import DERIVED, Attribution, AttributionRow, Finding, Ladder, Side
from kassay.model.machine import MachineUse
from kassay.model.reason import Reason, reason
from kassay.model.report import Comparisons
from kassay.model.samples import UNITS_OF_REPLICATION, FunctionShares, Samples, SampleSeries
from kassay.model.units import relative_change
from kassay.supply.clocks import clock_of

CLOCK = "imported"
STATE_DOUBT = reason("state-not-known")
"""No file format records it, and it matters: a comparison was withdrawn because only one side had huge pages."""

_Key = tuple[object, ...]


def judge_samples(samples: Samples, margin: float) -> Comparisons:
    """Every metric, neighbours in the order of samples.kernels; with more than two kernels also as ladders."""
    findings: list[Finding] = []
    ladders: list[Ladder] = []
    session = session_of(samples)
    for group in _groups(samples):
        pairs = [*pairwise(group)] + ([(group[0], group[-1])] if len(group) > 2 else [])
        compared = [_compare(samples, base, head, margin, session) for base, head in pairs]
        if len(group) > 2:
            sides = tuple(side_of(samples, series) for series in group)
            ladders.append(ladder_of(sides, compared[0]))
        findings += compared
    findings += [_by_function(samples, shares) for shares in samples.shares]
    if ladders:
        joined = in_accord(findings, ladders, session)
        return Comparisons(joined, with_steps(ladders, joined))
    # Cells of a file may share their boots, and then say nothing together: no statement about all of them.
    return Comparisons(judged_together(findings, session).findings, ())


def session_of(samples: Samples) -> Session:
    """One look, at whatever the file holds; blocks where every value names its own."""
    values = [sample for series in samples.series for sample in series.samples if sample.value is not None]
    named = all(sample.block is not None for sample in values)
    most = max((len(series.samples) for series in samples.series), default=0)
    blocks = named and any(series.samples for series in samples.series)
    order = None if blocks else ORDER_DOUBTS["unknown"]
    doubts = (STATE_DOUBT,) if order is None else (STATE_DOUBT, order)
    return Session(
        looks=(most,),
        threshold=threshold(samples.looks or 1),
        blocks=blocks,
        doubts=doubts,
        look=most,
        lost="planned-values-lost",
    )


def side_of(samples: Samples, series: SampleSeries) -> Side:
    """One kernel's values, in file order; a mean and a spread where the file has no more."""
    values = [sample for sample in series.samples if sample.value is not None]
    runs = tuple(value.value for value in values if value.value is not None)
    blocks = tuple(value.block for value in values if value.block is not None)
    failed = len(series.samples) - len(values)
    spread = series.spread
    return Side(
        kernel=series.kernel, value=spread.mean if spread else median(runs) if runs else None,
        method=_method(series, len(runs)), runs=runs, perturbed=(),
        rounds=values[0].inner if values else (), warmup=(), failed=failed, failed_tries=failed,
        blocks=blocks if len(blocks) == len(runs) else (), spread=spread.deviation if spread else None,
        change_text=spread.change_text if spread else "",
    )  # fmt: skip


def _method(series: SampleSeries, values: int) -> str:
    if series.spread is not None:
        return "mean, as printed"
    return "its one value" if values == 1 else f"median of {values} values"


def _groups(samples: Samples) -> list[tuple[SampleSeries, ...]]:
    """Series that differ in the kernel only, in the order of samples.kernels; not those of one kernel alone."""
    order = {kernel.label: index for index, kernel in enumerate(samples.kernels)}
    groups: dict[_Key, list[SampleSeries]] = {}
    for series in samples.series:
        settings = tuple((item.name, item.value) for item in series.settings)
        key = (series.workload, settings, series.metric, series.cpus, series.memory_bytes)
        groups.setdefault(key, []).append(series)
    return [tuple(sorted(g, key=lambda series: order[series.kernel])) for g in groups.values() if len(g) > 1]


def _compare(samples: Samples, base: SampleSeries, head: SampleSeries, margin: float, session: Session) -> Finding:
    sides = side_of(samples, base), side_of(samples, head)
    judged = _judged(samples, sides, base, head, margin, session)
    return Finding(
        workload=base.workload, settings=base.settings, machine=_machine(samples, base), metric=base.metric,
        primary=base.primary, unit=base.unit, definition=base.definition, better=base.better, base=base.kernel,
        head=head.kernel, base_value=sides[0].value, head_value=sides[1].value, change=judged.change,
        interval=judged.interval, n_base=_n(base), n_head=_n(head), verdict=judged.verdict, evidence=judged.evidence,
        scope=clock_of(CLOCK).scope, reasons=judged.reasons, sides=sides, timing=judged.timing,
        profile_note=reason("no-profile-in-file"),
        confounders=compilers(*(_compiler(samples, side.kernel) for side in sides)),
    )  # fmt: skip


def _compiler(samples: Samples, label: str) -> str | None:
    return next((kernel.compiler for kernel in samples.kernels if kernel.label == label), None)


def _judged(
    samples: Samples,
    sides: tuple[Side, Side],
    base: SampleSeries,
    head: SampleSeries,
    margin: float,
    session: Session,
) -> Judgement:
    work = other_work(samples, base, head)
    if work is not None:
        return judgement_without_estimate("different-work", work)
    reasons = _no_test(samples, sides, base, head, session)
    if reasons:
        a, b = sides[0].value, sides[1].value
        change = b / a - 1 if a and b is not None else None
        return Judgement(change=change, interval=None, verdict="inconclusive", evidence="partial", reasons=reasons)
    if any(side.value is None for side in sides):
        return judgement_without_estimate("incomplete", reason("no-value"))
    return judge_times(*sides, margin, session, base.better)


def _no_test(
    samples: Samples, sides: tuple[Side, Side], base: SampleSeries, head: SampleSeries, session: Session
) -> tuple[Reason, ...]:
    """Reasons why these values allow no test, only a ratio. Empty if they allow one, or if a side has no value."""
    spreads = [series.spread for series in (base, head) if series.spread is not None]
    if len(spreads) == 2:
        counts = [spread.n for spread in spreads if spread.n]
        if len(counts) < 2:
            return (reason("means-only-of-unknown"),)
        return (reason("means-only", base_values=counts[0], head_values=counts[1]),)
    if spreads:
        return (reason("mean-on-one-side"),)
    if any(value <= 0 for side in sides for value in side.runs):
        return (reason("values-not-positive"),)
    whole = all(side.value is not None for side in sides)
    if whole and samples.replication != "boot" and any(len(side.runs) > 1 for side in sides):
        return (UNITS_OF_REPLICATION[samples.replication], *session.doubts)
    return ()


def _n(series: SampleSeries) -> int:
    return (series.spread.n or 0) if series.spread else sum(sample.value is not None for sample in series.samples)


def _machine(samples: Samples, series: SampleSeries) -> MachineUse:
    return MachineUse(arch=samples.arch, clock=CLOCK, cpus=series.cpus, memory_bytes=series.memory_bytes)


def _by_function(samples: Samples, shares: FunctionShares) -> Finding:
    """Cost per operation, itemised by the shares that the file prints; the rest is unattributed."""
    base, head = (kernel.label for kernel in samples.kernels[:2])
    return Finding(
        workload=shares.workload, settings=shares.settings or (),
        machine=MachineUse(arch="unknown", clock=CLOCK, cpus=None, memory_bytes=None),
        metric=shares.unit.replace("/", " per "), primary=True, unit=shares.unit, definition=shares.how,
        better="lower", base=base, head=head, base_value=shares.base_total, head_value=shares.head_total,
        change=relative_change(shares.base_total, shares.head_total), interval=None, n_base=0, n_head=0,
        verdict="inconclusive", evidence="partial", scope=clock_of(CLOCK).scope,
        reasons=(reason("derived-from-means"),),
        sides=(_total(base, shares.base_total), _total(head, shares.head_total)), attribution=_attribution(shares),
    )  # fmt: skip


def _total(kernel: str, value: float) -> Side:
    return Side(kernel=kernel, value=value, method=DERIVED, runs=(), perturbed=(), rounds=(), warmup=(), failed=0)


def _attribution(shares: FunctionShares) -> Attribution:
    rows = [
        AttributionRow(function=name, base=base, head=head, delta=head - base, place="", context="")
        for name, base, head in shares.rows
        if base is not None and head is not None
    ]
    rows.sort(key=lambda row: (-abs(row.delta), row.function))
    total = shares.head_total - shares.base_total
    rest = total - fsum(row.delta for row in rows)
    named = [Share(row.function, Fraction(row.delta)) for row in rows]
    most = max(shares.base_total, shares.head_total)
    text = difference_text(Fraction(total), named, Fraction(rest), most, shares.unit)
    return Attribution(
        total=total, rows=tuple(rows), unattributed=rest,
        sentence=text.whole, parts=text.parts,
    )  # fmt: skip
