# SPDX-License-Identifier: GPL-2.0-only
"""Exact counts -> estimate, interval, verdict. No probability: ranges of runs that should not differ."""

from kassay.model.finding import Side
from kassay.model.records import Record


class Judgement(Record, frozen=True, kw_only=True):
    """What one comparison says. change and interval are head / base - 1."""

    change: float | None
    interval: tuple[float, float] | None
    verdict: str
    evidence: str
    reasons: tuple[str, ...]


def withheld(verdict: str, *reasons: str) -> Judgement:
    """What is said when there is nothing to estimate from."""
    return Judgement(change=None, interval=None, verdict=verdict, evidence="partial", reasons=reasons)


def judge_counts(base: Side, head: Side, margin: float, disagreement: str | None) -> Judgement:
    """Verdict on two sides of exact counts.

    The interval reaches from the smallest head against the largest base to the reverse, over plain and
    perturbed runs: whatever moved between them is a layout floor, not a difference of the
    kernels. A difference is claimed when the ranges stand apart and the plain runs differ
    by more than the margin; equality when the whole interval lies inside the margin.
    """
    if base.value is None or head.value is None:
        return withheld("incomplete", "one side has no successful run")
    if min((*base.runs, *base.perturbed, *head.runs, *head.perturbed)) <= 0:
        return withheld("inconclusive", "a count of zero: the phase is too short for this clock")
    change = head.value / base.value - 1
    bases, heads = (*base.runs, *base.perturbed), (*head.runs, *head.perturbed)
    interval = (min(heads) / max(bases) - 1, max(heads) / min(bases) - 1)
    if disagreement is not None:
        reason = f"repeats disagree, which is a defect of the instrument: {disagreement}"
        return Judgement(
            change=change, interval=interval, verdict="inconclusive", evidence="unstable", reasons=(reason,)
        )
    verdict, why = _verdict(change, interval, margin)
    thin = (*_thin(base), *_thin(head))
    evidence = "partial" if thin or verdict == "inconclusive" else "exact"
    return Judgement(change=change, interval=interval, verdict=verdict, evidence=evidence, reasons=(*why, *thin))


def _verdict(change: float, interval: tuple[float, float], margin: float) -> tuple[str, tuple[str, ...]]:
    low, high = interval
    if -margin <= low and high <= margin:
        return "equivalent", ()
    if change > margin and low > 0:
        return "regression", ()
    if change < -margin and high < 0:
        return "improvement", ()
    floor = f"runs that should not differ spread from {low:+.2%} to {high:+.2%}, across the margin of {margin:.1%}"
    return "inconclusive", (floor,)


def _thin(side: Side) -> tuple[str, ...]:
    """Why a side's evidence is less than exact; nothing when it is not."""
    reasons = list(side.doubts)
    if len(side.runs) < 2:
        reasons.append("one plain run, so that repeats agree is not shown")
    if not side.perturbed:
        reasons.append("no perturbed run, so that layout does not matter is not shown")
    if side.failed:
        reasons.append(f"{side.failed} planned run(s) never succeeded")
    if side.unmade:
        reasons.append(f"{side.unmade} planned run(s) not made yet")
    return tuple(f"{side.kernel}: {reason}" for reason in reasons)
