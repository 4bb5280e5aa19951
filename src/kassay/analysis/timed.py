# SPDX-License-Identifier: GPL-2.0-only
"""Clocks that jitter -> estimate, interval, verdict, from one number per boot.

The test, its estimate and its interval are those of statistics.blocked: ranks inside blocks of boots in random order,
exact whatever drifts or strays. A look at n boots per kernel claims what the test finds at the level of a look, so that
all looks of a session together err in 5 % of sessions (Pocock 1977). Below six boots a side no verdict is given.
"""

from math import comb, exp
from typing import NamedTuple

import msgspec

from kassay.analysis.exact import Judgement, judgement_without_estimate
from kassay.analysis.planned_looks import MINIMUM_BOOTS
from kassay.analysis.statistics import seed_rules
from kassay.analysis.statistics.blocked import Boot, estimate, interval, smallest_p, test
from kassay.analysis.statistics.planning import tick
from kassay.model.finding import Side
from kassay.model.reason import Reason, reason
from kassay.model.timing import ControlCheck, FailureCheck, Timing

_TICKS_OF_MARGIN = 0.1
"""A clock's step must be below this share of the margin, or it is added to the interval on both sides."""


class Session(NamedTuple):
    """Description of the boots of a comparison."""

    looks: tuple[int, ...]
    """Planned looks, in boots per kernel."""
    threshold: float
    """Threshold of p at each look."""
    blocks: bool = True
    """True if the kernels took turns in blocks."""
    doubts: tuple[Reason, ...] = ()
    """Reasons why any of it proves less than it might."""
    look: int | None = None
    """Boots per kernel at the present look; None before the first one."""
    control: bool = False
    """True if boots of a kernel against itself were planned."""
    lost: str = "boots-lost"
    """Code of the reason that names boots which never succeeded."""


_NOT_KNOWN = reason("order-not-known")
ORDER_DOUBTS = {
    "interleaved": None,
    "sandwich": reason("order-fixed"),
    "sequential": reason("order-sequential"),
    "unknown": _NOT_KNOWN,
}
"""Doubt that each order of the boots leaves."""


def boots_of(base: Side, head: Side, session: Session) -> list[Boot]:
    """Every plain run of both sides; all of a host in one block when their order says nothing."""
    in_blocks = session.blocks and _share_blocks(base, head)
    return [
        Boot(block, is_head, value, host)
        for side, is_head in ((base, False), (head, True))
        for block, value, host in zip(
            side.blocks if in_blocks else [0] * len(side.runs), side.runs, side.made_by, strict=True
        )
    ]


def _share_blocks(base: Side, head: Side) -> bool:
    """True if some block has boots of both kernels."""
    return bool({*base.blocks} & {*head.blocks})


def judge_times(base: Side, head: Side, margin: float, session: Session, better: str = "lower") -> Judgement:
    """Verdict on two sides of timed runs; a boot is the unit, whatever its rounds."""
    if base.value is None or head.value is None:
        return judgement_without_estimate("incomplete", reason("no-successful-run"))
    if min((*base.runs, *head.runs)) <= 0:
        return judgement_without_estimate("inconclusive", reason("zero-time"))
    boots = boots_of(base, head, session)
    change = exp(estimate(boots)) - 1
    fewest = min(len(base.runs), len(head.runs))
    timing = Timing(
        boots=fewest, looks=session.looks, threshold=session.threshold, level=1 - session.threshold, p=None,
        blocks=len({boot.block for boot in boots}), tick=_tick(base, head), failures=_failures(base, head),
    )  # fmt: skip
    if fewest < MINIMUM_BOOTS or session.look is None:
        early = reason("screening-only", boots=fewest, needed=MINIMUM_BOOTS)
        if fewest >= MINIMUM_BOOTS:
            early = reason("look-not-reached", boots=session.looks[0])
        return Judgement(change=change, interval=None, verdict="inconclusive", evidence="partial",
                         reasons=(early, *_doubts(base, head, timing, session)), timing=timing)  # fmt: skip
    limits = _widened(interval(boots, session.threshold), timing.tick, margin)
    p = test(boots)
    if limits is None:
        timing = msgspec.structs.replace(timing, p=p)
        small = reason("blocks-too-small", boots=fewest, threshold=session.threshold)
        return Judgement(change=change, interval=None, verdict="inconclusive", evidence="partial",
                         reasons=(small, *_doubts(base, head, timing, session)), timing=timing)  # fmt: skip
    timing = msgspec.structs.replace(timing, p=p, bound=max(abs(limits[0]), abs(limits[1])))
    verdict, why = _verdict(limits, margin, better, session, _stepless(base, head))
    doubts = _doubts(base, head, timing, session)
    evidence, strays = word(base, head, decided=verdict != "inconclusive", doubted=bool(doubts))
    return Judgement(change=change, interval=limits, verdict=verdict, evidence=evidence,
                     reasons=(*why, *doubts, *strays), timing=timing)  # fmt: skip


def check_control(base: Side, control: Side, session: Session) -> ControlCheck | None:
    """A kernel's boots against other boots of the same kernel; None while no difference between so few could show."""
    if not control.runs or not base.runs or min((*base.runs, *control.runs)) <= 0:
        return None
    boots = boots_of(base, control, session)
    if smallest_p(boots) > session.threshold:
        return None
    p = test(boots)
    limits = interval(boots, session.threshold)
    return ControlCheck(
        kernel=base.kernel, change=exp(estimate(boots)) - 1, interval=_relative(limits), p=p, n_base=len(base.runs),
        n_control=len(control.runs), passed=p > session.threshold,
    )  # fmt: skip


def verdict_of(change: float, better: str) -> str:
    """regression or improvement, by the direction in which the metric is better."""
    return "regression" if (change > 0) == (better == "lower") else "improvement"


def _relative(log_shifts: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if log_shifts is None else (exp(log_shifts[0]) - 1, exp(log_shifts[1]) - 1)


def _widened(log_shifts: tuple[float, float] | None, step: float | None, margin: float) -> tuple[float, float] | None:
    """The interval of the change; wider by a step of the clock on both sides where that is not small."""
    limits = _relative(log_shifts)
    if limits is None or step is None or step < _TICKS_OF_MARGIN * margin:
        return limits
    return limits[0] - step, limits[1] + step


def _tick(base: Side, head: Side) -> float | None:
    """The clock's step relative to the value, when one shows in the rounds."""
    smallest = min(side.value for side in (base, head) if side.value is not None)
    steps = [tick(side.rounds or side.runs) for side in (base, head)]
    found = [step for step in steps if step is not None]
    return max(found) / smallest if found else None


def _failures(base: Side, head: Side) -> FailureCheck | None:
    """Test for one kernel's boots failing more often than the other's. None if none failed."""
    if not base.failed_tries + head.failed_tries:
        return None
    tried = [len(side.runs) + len(side.perturbed) + side.failed_tries for side in (base, head)]
    return FailureCheck(
        base_failed=base.failed_tries, base_tried=tried[0], head_failed=head.failed_tries, head_tried=tried[1],
        p=fisher(base.failed_tries, tried[0], head.failed_tries, tried[1]),
    )  # fmt: skip


def _stepless(base: Side, head: Side) -> str:
    """A kernel whose rounds all took the same time to the last digit: the clock may be as coarse as that. "": none."""
    return next(
        (s.kernel for s in (base, head) if len(s.rounds or s.runs) > 1 and len({*(s.rounds or s.runs)}) == 1), ""
    )


def _verdict(interval: tuple[float, float], margin: float, better: str, session: Session,
             stepless: str) -> tuple[str, tuple[Reason, ...]]:  # fmt: skip
    low, high = interval
    if -margin <= low and high <= margin:
        if stepless:
            return "inconclusive", (reason("clock-step-not-known", stepless),)
        return "equivalent", ()
    apart = low > 0 or high < 0
    if not apart:
        return "inconclusive", (_undecided(max(abs(low), abs(high)), session),)
    if better == "unknown":
        return "inconclusive", (reason("direction-not-known"),)
    nearest = min(abs(low), abs(high))
    weak = () if nearest > margin else (reason("change-may-be-small", change=nearest),)
    return verdict_of(low if low > 0 else high, better), weak


def _undecided(bound: float, session: Session) -> Reason:
    look, last = session.look or session.looks[-1], session.looks[-1]
    return reason("undecided", bound=bound, boots=look, most=last if look < last else None)


def _doubts(base: Side, head: Side, timing: Timing, session: Session) -> tuple[Reason, ...]:
    """Reasons why the evidence is only partial."""
    lost, unmade = base.failed + head.failed, base.unmade + head.unmade
    doubts = [reason(session.lost, count=lost)] if lost else []
    doubts += [reason("boots-unmade", count=unmade)] if unmade else []
    if timing.failures is not None and timing.failures.p <= 0.05:
        check = timing.failures
        doubts.append(
            reason(
                "boots-fail-more", base=base.kernel, head=head.kernel, base_failed=check.base_failed,
                base_tried=check.base_tried, head_failed=check.head_failed, head_tried=check.head_tried, p=check.p,
            )
        )  # fmt: skip
    if session.blocks and not _share_blocks(base, head):
        doubts.append(_NOT_KNOWN)
    of_sides = (doubt.of(side.kernel) for side in (base, head) for doubt in side.doubts)
    return (*doubts, *session.doubts, *of_sides)


_WORSE = (("unstable", "boots-far-apart"), ("robust-only", "boots-stray"))
"""Evidence words with the code of the reason for each; the limit of both is the seeds' own."""


def word(base: Side, head: Side, *, decided: bool, doubted: bool) -> tuple[str, tuple[Reason, ...]]:
    """(evidence, why it is not the strongest).

    partial: something is missing or doubtful, or the boots do not decide. unstable: the typical boot is more than 10 %
    from the median. robust-only: single boots stray so that mean and standard deviation mislead. Else reliable.
    """
    if doubted or not decided:
        return "partial", ()
    scatter = [(side.kernel, seed_rules.side(side.runs)) for side in (base, head)]
    for name, code in _WORSE:
        measured = [(kernel, (s.mad_ratio if name == "unstable" else s.cv) or 0.0) for kernel, s in scatter]
        if wide := tuple((kernel, value) for kernel, value in measured if value > seed_rules.MAX_CV):
            return name, (reason(code, shares=wide),)
    return "reliable", ()


def fisher(base_failed: int, base_tried: int, head_failed: int, head_tried: int) -> float:
    """Fisher's exact test, two-sided p. ValueError: fewer tried than failed, or a negative number.

    A kernel that was never tried gives 1.
    """
    if not 0 <= base_failed <= base_tried or not 0 <= head_failed <= head_tried:
        raise ValueError("failed boots must be between 0 and the boots tried")
    failed = base_failed + head_failed
    # Ways to have that many failures on base, by their number; scipy.stats takes half a second to import.
    ways = [comb(base_tried, of_base) * comb(head_tried, failed - of_base) for of_base in range(failed + 1)]
    return sum(number for number in ways if number <= ways[base_failed]) / sum(ways)
