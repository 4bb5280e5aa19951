# SPDX-License-Identifier: GPL-2.0-only
"""A directory of runs -> its verdicts, and what each kernel function costs in it; point by point, on all CPUs."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from kassay import __version__
from kassay.analysis.analyse import analyse, with_itself
from kassay.analysis.function_costs import function_costs
from kassay.analysis.itemised import cell_of, itemised
from kassay.effects.workers import mapped
from kassay.errors import BadInput
from kassay.evidence.profiles import StoredProfiles
from kassay.journal.directory import RunDirectory
from kassay.model.experiment import labels
from kassay.model.finding import Confounder, Finding, Side
from kassay.model.machine import Point
from kassay.model.prediction import Prediction
from kassay.model.progress import Progress, Tell
from kassay.model.reason_texts import reason_text
from kassay.model.records import grouped
from kassay.model.run import CellEvidence, RunRecord
from kassay.model.texts import counted, listed, shortened
from kassay.spec.rules import question_of
from kassay.supply.clocks import clock_of
from kassay.tools.history.records import ComparisonDetail, FunctionChange, StoredComparison, StoredCost

_FUNCTIONS = 20
"""Functions that a stored comparison names."""
_MANY = 4
"""Points from which on they are read on all CPUs."""

SeriesIndex = Mapping[tuple[Point, str], int]
"""Point and metric -> index of its series in the batch."""


class _Part(NamedTuple):
    """Findings of one point, and what their profiles are made of."""

    folder: RunDirectory
    findings: tuple[Finding, ...]
    records: tuple[RunRecord, ...]
    evidence: tuple[CellEvidence, ...]
    series: dict[str, int]
    """Metric -> index of its series."""


class Compared(NamedTuple):
    """The verdicts and the costs of a directory."""

    comparisons: tuple[StoredComparison, ...]
    costs: tuple[StoredCost, ...]


def compared(
    folder: RunDirectory,
    records: Sequence[RunRecord],
    evidence: Sequence[CellEvidence],
    series: SeriesIndex,
    tell: Tell,
) -> Compared:
    """Comparisons of every metric, and function costs of the primary ones."""
    plan = folder.plan
    found = _predicted(analyse(plan, evidence, question_of(plan.experiment)).findings, folder, records, evidence, tell)
    points = grouped((finding.point, finding) for finding in found or with_itself(plan, evidence))
    parts = []
    for point, findings in points.items():
        of_point = tuple(item for item in evidence if item.cell.point == point)
        runs = {measurement.run for item in of_point for measurement in item.measurements}
        parts.append(_Part(
            folder, tuple(findings), tuple(record for record in records if record.run in runs), of_point,
            {metric: index for (at, metric), index in series.items() if at == point},
        ))  # fmt: skip
    comparisons: list[StoredComparison] = []
    costs: list[StoredCost] = []
    for number, done in enumerate(mapped(_compared, parts, many=_MANY), 1):
        comparisons += done.comparisons if found else ()
        costs += done.costs
        text = f"{number} of {len(parts)}: {parts[number - 1].findings[0].workload}"
        if len(parts) >= _MANY:
            tell(Progress(stage="compare", subject=folder.path.name, text=text, done=number / len(parts)))
    return Compared(tuple(comparisons), tuple(costs))


def _predicted(
    found: tuple[Finding, ...], folder: RunDirectory, records: Sequence[RunRecord], evidence: Sequence[CellEvidence],
    tell: Tell,
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings, the primary ones with predicted times if the experiment asks for CPUs."""
    experiment = folder.plan.experiment
    if not experiment.predict:
        return found
    from kassay.labs.predict.predictions import found_timings, with_predictions

    timings, lacking = found_timings(experiment.predict, experiment.arch, folder.path)
    return with_predictions(found, folder, records, evidence, timings, tell, lacking, primary_only=True)


def _compared(part: _Part) -> Compared:
    profiles = StoredProfiles(part.folder, part.records, part.evidence)
    cells = part.folder.plan.cells
    findings = itemised(part.findings, cells, profiles, primary_only=True)
    kernels = {label: number for number, label in enumerate(labels(part.folder.plan.experiment))}
    comparisons = tuple(
        _comparison(finding, part.series[finding.metric], kernels)
        for finding in findings if finding.metric in part.series
    )  # fmt: skip
    return Compared(comparisons, tuple(_costs(part, findings, profiles, kernels)))


def _costs(
    part: _Part, findings: Sequence[Finding], profiles: StoredProfiles, kernels: Mapping[str, int]
) -> Iterator[StoredCost]:
    """Functions of every kernel in the primary metrics. A kernel without a profile has none."""
    done: set[tuple[str, str]] = set()
    for finding in findings:
        if not finding.primary or not clock_of(finding.machine.clock).counts_work or finding.metric not in part.series:
            continue
        for side in finding.sides:
            if side.value is None or (finding.metric, side.kernel) in done:
                continue
            done.add((finding.metric, side.kernel))
            yield from _costs_of(part, finding, side, profiles, kernels[side.kernel])


def _costs_of(
    part: _Part, finding: Finding, side: Side, profiles: StoredProfiles, kernel: int
) -> Iterator[StoredCost]:  # fmt: skip
    try:
        profile = profiles.of(cell_of(finding, part.folder.plan.cells), side, finding.metric)
    except BadInput:
        return
    sizes = profiles.sizes(cell_of(finding, part.folder.plan.cells), side, finding.metric)
    for share in function_costs(profile):
        yield StoredCost(
            series=part.series[finding.metric], kernel=kernel, function=share.function, own=share.own,
            whole=share.whole, calls=share.calls, callers=share.callers, bytes=sizes.get(share.function),
        )  # fmt: skip


def _comparison(finding: Finding, series: int, kernels: Mapping[str, int]) -> StoredComparison:
    base, head = finding.kernels
    low, high = finding.interval or (None, None)
    return StoredComparison(
        series=series, base=kernels[base], head=kernels[head], verdict=finding.verdict, evidence=finding.evidence,
        change=finding.change, low=low, high=high, floor=finding.floor, base_value=finding.base_value,
        head_value=finding.head_value, base_n=finding.n_base, head_n=finding.n_head, detail=_detail(finding),
    )  # fmt: skip


def _detail(finding: Finding) -> ComparisonDetail:
    attribution = finding.attribution
    changes: tuple[FunctionChange, ...] = ()
    rest = None
    if attribution is not None:
        rows = [row for row in attribution.rows if row.delta][:_FUNCTIONS]
        changes = tuple(FunctionChange(function=row.function, base=row.base, head=row.head) for row in rows)
        rest = attribution.total - fsum(row.delta for row in rows)
    return ComparisonDetail(
        reasons=tuple(reason_text(reason) for reason in finding.reasons),
        confounders=tuple(_confounder_texts(finding.confounders)),
        sentence=attribution.sentence if attribution is not None else "",
        functions=changes, rest=rest,
        predictions=tuple(
            (prediction.cpu, prediction.change, *prediction.interval)
            for prediction in finding.predictions if prediction.change is not None and prediction.interval is not None
        ),
        accesses=_accesses(finding.predictions), version=__version__,
    )  # fmt: skip


def _accesses(predictions: Sequence[Prediction]) -> tuple[float, float] | None:
    """Loads and stores in the traces, which are the same for every CPU."""
    for one in predictions:
        if one.base_accesses is not None and one.head_accesses is not None:
            return one.base_accesses, one.head_accesses
    return None


def _confounder_texts(confounders: Sequence[Confounder]) -> Iterator[str]:
    """One text for each kind: "compiler: gcc 12.2.0, then gcc 14.2.0"."""
    for code, members in grouped((confounder.code, confounder) for confounder in confounders).items():
        texts = [
            f"{f'{member.name} ' if member.name else ''}{member.base or 'unknown'}, then {member.head or 'unknown'}"
            for member in members
        ]
        few = listed(shortened(texts, 4))
        yield f"{code}: {few}" if len(texts) == 1 else f"{code}: {counted(len(texts), 'difference')} ({few})"
