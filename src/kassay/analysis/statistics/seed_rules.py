# SPDX-License-Identifier: GPL-2.0-only
"""The rules of the framework behind the threads in docs/results/evidence.md, so that both judgements can be compared.

Means against a tolerance; coefficient of variation and (unscaled) MAD ratio against one limit; a failed run makes
its side partial. No test, no interval, and one value alone passes as stable: that is their rule, kept as it is.
"""

from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from statistics import median
from typing import NamedTuple

from kassay.model.finding import Finding
from kassay.model.timing import SeedFinding, SeedSide

TOLERANCE = 0.05
MAX_CV = 0.10
WORDS = {
    "reliable": "no run failed on either side, and both coefficients of variation are within the limit",
    "robust-only": "no run failed, and only the MAD ratios are within the limit on both sides",
    "partial": "a run failed on either side",
    "unstable": "no run failed, and a MAD ratio is beyond the limit",
}


class SeedJudgement(NamedTuple):
    """Verdict on two sides by the rules of the seeds' framework."""

    delta: float | None
    """Change of the means, which alone decides. None if a side has no value."""
    delta_median: float | None
    """Change of the medians, for comparison with `delta`."""
    classification: str
    """Word for the change: regression, improvement or neutral; absent if a side has no value."""
    reliable: bool
    robust_reliable: bool
    word: str
    """A key of WORDS."""


def judged_by_seed_rules(findings: Iterable[Finding]) -> tuple[SeedFinding, ...]:
    """One row for each finding, in order; a side of which the file has no single values is "failed" there."""
    return tuple(_finding(f) for f in findings)


def _finding(f: Finding) -> SeedFinding:
    base, head = (side(s.runs, s.failed, kernel=s.kernel) for s in f.sides)
    judged = judge(base, head, "lower" if f.better == "unknown" else f.better)
    return SeedFinding(
        workload=f.workload, settings=f.settings, machine=f.machine, metric=f.metric, sides=(base, head),
        kassay=f"{f.verdict}, {f.evidence}", **judged._asdict(),
    )  # fmt: skip


def side(values: Sequence[float], failed: int = 0, max_cv: float = MAX_CV, *, kernel: str = "") -> SeedSide:
    """values: of the runs that succeeded; failed: how many more did not. Numbers are None when no run succeeded."""
    runs = len(values) + failed
    if not values:
        return SeedSide(kernel=kernel, runs=runs, failed=failed, mean=None, median=None, cv=None, mad_ratio=None,
                        status="failed", stable=False, robust_stable=False)  # fmt: skip
    mean, middle = fsum(values) / len(values), median(values)
    deviation = sqrt(fsum((v - mean) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else 0.0
    mad = median(abs(value - middle) for value in values)
    cv, mad_ratio = deviation / mean if mean else 0.0, mad / middle if middle else 0.0
    return SeedSide(
        kernel=kernel, runs=runs, failed=failed, mean=mean, median=middle, cv=cv, mad_ratio=mad_ratio,
        status="partial" if failed else "ok", stable=not failed and cv <= max_cv,
        robust_stable=not failed and mad_ratio <= max_cv,
    )  # fmt: skip


def judge(base: SeedSide, head: SeedSide, better: str = "lower") -> SeedJudgement:
    """better: "lower", or "higher", where the same delta is called the opposite."""
    delta = _delta(base.mean, head.mean)
    reliable = base.stable and head.stable
    robust = base.robust_stable and head.robust_stable
    return SeedJudgement(
        delta, _delta(base.median, head.median), _classification(delta, better), reliable, robust,
        _word(base, head, reliable, robust),
    )  # fmt: skip


def _delta(base: float | None, head: float | None) -> float | None:
    return None if base is None or head is None or base == 0 else head / base - 1


def _classification(delta: float | None, better: str) -> str:
    if delta is None:
        return "absent"
    if abs(delta) <= TOLERANCE:
        return "neutral"
    return "regression" if (delta > 0) == (better == "lower") else "improvement"


def _word(base: SeedSide, head: SeedSide, reliable: bool, robust: bool) -> str:
    if base.status != "ok" or head.status != "ok":
        return "partial"
    return "reliable" if reliable else "robust-only" if robust else "unstable"
