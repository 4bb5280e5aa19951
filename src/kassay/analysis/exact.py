# SPDX-License-Identifier: GPL-2.0-only
"""Exact counts -> estimate, interval, verdict. No probability: ranges of runs that should not differ."""

from kassay.model.finding import CHANGES, Side
from kassay.model.reason import Reason, reason
from kassay.model.records import Record
from kassay.model.timing import Timing


class Judgement(Record, frozen=True, kw_only=True):
    """Result of one comparison. Fields without a text are those of Finding."""

    change: float | None
    """Relative change, head / base - 1."""
    interval: tuple[float, float] | None
    """Ends of the interval of the change, as head / base - 1."""
    verdict: str
    evidence: str
    reasons: tuple[Reason, ...]
    floor: float | None = None
    timing: Timing | None = None


def judgement_without_estimate(verdict: str, *reasons: Reason) -> Judgement:
    """The judgement when there is nothing to estimate from."""
    return Judgement(change=None, interval=None, verdict=verdict, evidence="partial", reasons=reasons)


def judge_counts(base: Side, head: Side, margin: float, disagreement: Reason | None) -> Judgement:
    """Verdict on two sides of exact counts.

    The interval reaches from the smallest head against the largest base to the reverse, over plain and
    perturbed runs: whatever moved between them is a layout floor, not a difference of the
    kernels. A difference is claimed when the ranges stand apart and the plain runs differ
    by more than the margin; equality when the whole interval lies inside the margin. A change that is not
    larger than the floor (how far runs of one side lie apart) is never called exact.
    """
    if base.value is None or head.value is None:
        return judgement_without_estimate("incomplete", reason("no-successful-run"))
    if min((*base.runs, *base.perturbed, *head.runs, *head.perturbed)) <= 0:
        return judgement_without_estimate("inconclusive", reason("zero-count"))
    change = head.value / base.value - 1
    bases, heads = (*base.runs, *base.perturbed), (*head.runs, *head.perturbed)
    interval = (min(heads) / max(bases) - 1, max(heads) / min(bases) - 1)
    if disagreement is not None:
        return Judgement(
            change=change, interval=interval, verdict="inconclusive", evidence="unstable", reasons=(disagreement,),
            floor=_larger(_floor(base), _floor(head)),
        )  # fmt: skip
    verdict, why = _verdict(change, interval, margin)
    thin = (*_thin(base), *_thin(head), *_below_floor(base, head, verdict))
    evidence = "partial" if thin or verdict == "inconclusive" else "exact"
    floor = _larger(_floor(base), _floor(head))
    layout = _layout_floor(base, head, floor) if (verdict, evidence) == ("equivalent", "exact") else ()
    return Judgement(
        change=change,
        interval=interval,
        verdict=verdict,
        evidence=evidence,
        reasons=(*why, *thin, *layout),
        floor=floor,
    )


def _spread(side: Side) -> float:
    values = (*side.runs, *side.perturbed)
    return max(values) - min(values)


def _floor(side: Side) -> float | None:
    """Distance between the runs of one kernel, relative to its value. None for a single run."""
    return _spread(side) / side.value if side.value and len(side.runs) + len(side.perturbed) > 1 else None


def _larger(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else max(a, b)


def _below_floor(base: Side, head: Side, verdict: str) -> tuple[Reason, ...]:
    """Ranges can stand apart although each is wider than their distance."""
    if verdict not in CHANGES or base.value is None or head.value is None:
        return ()
    wider = [side for side in (base, head) if _spread(side) >= abs(head.value - base.value)]
    return tuple(reason("own-runs-apart", side.kernel, apart=_floor(side)) for side in wider)


def _layout_floor(base: Side, head: Side, floor: float | None) -> tuple[Reason, ...]:
    if floor is None:
        return ()
    runs = [len(side.runs) + len(side.perturbed) for side in (base, head)]
    return (reason("layout-floor", floor=floor, base_runs=runs[0], head_runs=runs[1]),)


def _verdict(change: float, interval: tuple[float, float], margin: float) -> tuple[str, tuple[Reason, ...]]:
    low, high = interval
    if -margin <= low and high <= margin:
        return "equivalent", ()
    if change > margin and low > 0:
        return "regression", ()
    if change < -margin and high < 0:
        return "improvement", ()
    return "inconclusive", (reason("margin-crossed", low=low, high=high, margin=margin),)


def _thin(side: Side) -> tuple[Reason, ...]:
    """Reasons why a side's evidence is less than exact. Empty if it is exact."""
    reasons = list(side.doubts)
    if len(side.runs) < 2:
        reasons.append(reason("one-plain-run"))
    if not side.perturbed:
        reasons.append(reason("no-perturbed-run"))
    if side.failed:
        reasons.append(reason("runs-lost", count=side.failed))
    if side.unmade:
        reasons.append(reason("runs-unmade", count=side.unmade))
    return tuple(doubt.of(side.kernel) for doubt in reasons)
