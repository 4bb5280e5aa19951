# SPDX-License-Identifier: GPL-2.0-only
"""Exact counts -> estimate, interval, verdict. No probability: ranges of runs that should not differ."""

from kassay.model.finding import CHANGES, Side
from kassay.model.records import Record
from kassay.model.timing import Timing


class Judgement(Record, frozen=True, kw_only=True):
    """What one comparison says. change and interval are head / base - 1. floor, timing: as in Finding."""

    change: float | None
    interval: tuple[float, float] | None
    verdict: str
    evidence: str
    reasons: tuple[str, ...]
    floor: float | None = None
    timing: Timing | None = None


def withheld(verdict: str, *reasons: str) -> Judgement:
    """What is said when there is nothing to estimate from."""
    return Judgement(change=None, interval=None, verdict=verdict, evidence="partial", reasons=reasons)


def judge_counts(base: Side, head: Side, margin: float, disagreement: str | None) -> Judgement:
    """Verdict on two sides of exact counts.

    The interval reaches from the smallest head against the largest base to the reverse, over plain and
    perturbed runs: whatever moved between them is a layout floor, not a difference of the
    kernels. A difference is claimed when the ranges stand apart and the plain runs differ
    by more than the margin; equality when the whole interval lies inside the margin. A change that is not
    larger than the floor (how far runs of one side lie apart) is never called exact.
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
            change=change, interval=interval, verdict="inconclusive", evidence="unstable", reasons=(reason,),
            floor=_larger(_floor(base), _floor(head)),
        )  # fmt: skip
    verdict, why = _verdict(change, interval, margin)
    thin = (*_thin(base), *_thin(head), *_below_floor(base, head, verdict))
    evidence = "partial" if thin or verdict == "inconclusive" else "exact"
    floor = _larger(_floor(base), _floor(head))
    said = _floor_words(base, head, floor) if (verdict, evidence) == ("equivalent", "exact") else ()
    return Judgement(
        change=change, interval=interval, verdict=verdict, evidence=evidence, reasons=(*why, *thin, *said), floor=floor
    )


def _spread(side: Side) -> float:
    values = (*side.runs, *side.perturbed)
    return max(values) - min(values)


def _floor(side: Side) -> float | None:
    """How far apart the runs of one kernel lie, relative to its value; None for a single run."""
    return _spread(side) / side.value if side.value and len(side.runs) + len(side.perturbed) > 1 else None


def _larger(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else max(a, b)


def _below_floor(base: Side, head: Side, verdict: str) -> tuple[str, ...]:
    """Ranges can stand apart although each is wider than their distance."""
    if verdict not in CHANGES or base.value is None or head.value is None:
        return ()
    wider = [side for side in (base, head) if _spread(side) >= abs(head.value - base.value)]
    return tuple(f"{side.kernel}: its own runs lie {_floor(side):.2%} apart, no less than the change" for side in wider)


def _floor_words(base: Side, head: Side, floor: float | None) -> tuple[str, ...]:
    if floor is None:
        return ()
    counts = " and ".join(str(len(side.runs) + len(side.perturbed)) for side in (base, head))
    return (f"layout floor {floor:.4%}: so far do runs that should not differ lie apart ({counts} runs)",)


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
