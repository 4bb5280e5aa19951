# SPDX-License-Identifier: GPL-2.0-only
"""A timed ladder, judged as one question: where does the level change? Single pairs cannot answer that alone."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from kassay.analysis.ladder import step_of
from kassay.analysis.looks import MINIMUM_BOOTS
from kassay.analysis.timed import Session, verdict_of
from kassay.model.finding import CHANGES, REFUSED, Finding, Ladder, LadderPoint, Side
from kassay.model.reason import reason


def ladder_of(sides: Sequence[Side], like: Finding) -> Ladder:
    """Points of one metric, named like one of its comparisons; with_steps() adds the steps."""
    return Ladder(
        workload=like.workload, metric=like.metric, unit=like.unit, primary=like.primary, settings=like.settings,
        machine=like.machine,
        points=tuple(LadderPoint(kernel=s.kernel, value=s.value, n=len(s.runs), side=s) for s in sides),
        steps=(),
    )  # fmt: skip


def in_accord(findings: Sequence[Finding], ladders: Sequence[Ladder], session: Session) -> tuple[Finding, ...]:
    """Findings as all kernels of their ladder together allow them: a change only where the level changes.

    The level of a look is shared by the ladders of primary metrics; the others have it each, and prove nothing alone.
    """
    share = max(1, sum(ladder.primary for ladder in ladders))
    changed = list(findings)
    for ladder in ladders:
        level = session.threshold / (share if ladder.primary else 1)
        here = [index for index, f in enumerate(changed) if _of(f, ladder)]
        breaks = _breaks(ladder, [changed[index] for index in here], level, session)
        for index in here:
            changed[index] = _in_accord(changed[index], ladder, breaks)
    return tuple(changed)


def with_steps(ladders: Sequence[Ladder], findings: Sequence[Finding]) -> tuple[Ladder, ...]:
    """Ladders whose steps are what the findings of neighbours say, in order."""
    made = []
    for ladder in ladders:
        pairs = {_place(f): f for f in findings if _of(f, ladder)}
        steps = [step_of(f) for place in _neighbours(ladder) if (f := pairs.get(place)) and f.verdict != "equivalent"]
        made.append(msgspec.structs.replace(ladder, steps=tuple(steps)))
    return tuple(made)


def _neighbours(ladder: Ladder) -> list[tuple[str, str]]:
    """Pairs of kernels next to each other, and of measured ones with only unmeasured ones between."""
    found = list(pairwise(point.kernel for point in ladder.points))
    measured = pairwise(point.kernel for point in ladder.points if point.value is not None)
    order = [point.kernel for point in ladder.points]
    return sorted({*found, *measured}, key=lambda pair: (order.index(pair[1]), order.index(pair[0])))


def _breaks(ladder: Ladder, findings: Sequence[Finding], level: float, session: Session) -> list[int]:
    """Indices of the kernels at which the level changes, each stretch that may be compared judged jointly."""
    pairs = {_place(f): f for f in findings}
    names = [point.kernel for point in ladder.points]
    stretches: list[list[int]] = [[]]
    for index, point in enumerate(ladder.points):
        if len(point.side.runs) < MINIMUM_BOOTS or session.look is None or min(point.side.runs) <= 0:
            continue
        last = stretches[-1][-1] if stretches[-1] else index
        if any(_refused(pairs, names[a], names[b]) for a, b in pairwise(range(last, index + 1))):
            stretches.append([])
        stretches[-1].append(index)
    return [one for members in stretches for one in _boundaries(ladder, members, level, session)]


def _boundaries(ladder: Ladder, members: Sequence[int], level: float, session: Session) -> list[int]:
    """Of these kernels, those at which the level is another than before."""
    if len(members) < 2:
        return []
    from kassay.analysis.statistics.segments import LadderBoot, boundaries

    boots = [
        LadderBoot(block, place, value)
        for place, index in enumerate(members)
        for block, value in zip(
            _blocks(ladder.points[index].side, session), ladder.points[index].side.runs, strict=True
        )
    ]
    return [members[one.at] for one in boundaries(boots, level)]


def _blocks(side: Side, session: Session) -> Sequence[int]:
    known = session.blocks and len(side.blocks) == len(side.runs)
    return side.blocks if known else [0] * len(side.runs)


def _in_accord(f: Finding, ladder: Ladder, breaks: Sequence[int]) -> Finding:
    """A change needs a break between its two kernels; with one, neighbours that alone show nothing have a step."""
    if f.timing is None or f.timing.p is None or f.change is None:
        return f
    names = [point.kernel for point in ladder.points]
    base, head = (names.index(side.kernel) for side in f.sides)
    between = any(base < one <= head for one in breaks)
    if f.verdict in CHANGES and not between:
        reasons = (reason("no-step-between"), *f.reasons)
        return msgspec.structs.replace(f, verdict="inconclusive", evidence="partial", reasons=reasons)
    if f.verdict == "inconclusive" and between and (names[base], names[head]) in _neighbours(ladder):
        if f.better == "unknown":
            return f
        return msgspec.structs.replace(
            f, verdict=verdict_of(f.change, f.better), evidence="partial", reasons=(reason("step-of-all"), *f.reasons)
        )
    return f


def _refused(pairs: dict[tuple[str, str], Finding], base: str, head: str) -> bool:
    pair = pairs.get((base, head))
    return pair is not None and pair.verdict in REFUSED and pair.verdict != "incomplete"


def _of(f: Finding, ladder: Ladder) -> bool:
    return (f.workload, f.metric, f.settings, f.machine) == (
        ladder.workload, ladder.metric, ladder.settings, ladder.machine,
    )  # fmt: skip


def _place(f: Finding) -> tuple[str, str]:
    return f.sides[0].kernel, f.sides[1].kernel
