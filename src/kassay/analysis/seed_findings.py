# SPDX-License-Identifier: GPL-2.0-only
"""Findings as the seeds' framework would judge the same boots, beside what kassay says of them."""

from collections.abc import Iterable

from kassay.analysis.statistics import seed_rules
from kassay.model.finding import Finding, Side
from kassay.model.timing import SeedFinding, SeedSide


def judged_by_seed_rules(findings: Iterable[Finding]) -> tuple[SeedFinding, ...]:
    """One row for each finding, in order; a side of which the file has no single values is "failed" there."""
    return tuple(_judged(f) for f in findings)


def _judged(f: Finding) -> SeedFinding:
    first, second = (seed_rules.side(side.runs, side.failed) for side in f.sides)
    judged = seed_rules.judge(first, second, "lower" if f.better == "unknown" else f.better)
    base, head = _side(f.sides[0], first), _side(f.sides[1], second)
    return SeedFinding(
        workload=f.workload, settings=f.settings, machine=f.machine, metric=f.metric, sides=(base, head),
        delta=judged.delta, delta_median=judged.delta_median, classification=judged.classification,
        reliable=judged.reliable, robust_reliable=judged.robust_reliable, word=judged.word,
        kassay=f"{f.verdict}, {f.evidence}",
    )  # fmt: skip


def _side(side: Side, one: seed_rules.SeedStats) -> SeedSide:
    return SeedSide(
        kernel=side.kernel, runs=one.runs, failed=one.failed, mean=one.mean, median=one.median, cv=one.cv,
        mad_ratio=one.mad_ratio, status=one.status, stable=one.stable, robust_stable=one.robust_stable,
    )  # fmt: skip
