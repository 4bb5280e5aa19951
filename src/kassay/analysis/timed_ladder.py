# SPDX-License-Identifier: GPL-2.0-only
"""A timed ladder, judged as one question: where does the level change? Single pairs cannot answer that alone."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from kassay.analysis.looks import MINIMUM_BOOTS
from kassay.analysis.timed import Session, verdict_of
from kassay.model.finding import REFUSED, Finding, Ladder, LadderPoint, LadderStep, Side

_CHANGES = ("regression", "improvement")


def ladder_of(sides: Sequence[Side], like: Finding, steps: Sequence[Finding]) -> Ladder:
    """Points and steps of one metric, without the joint judgement."""
    return Ladder(
        workload=like.workload, metric=like.metric, unit=like.unit, primary=like.primary, settings=like.settings,
        machine=like.machine,
        points=tuple(LadderPoint(kernel=s.kernel, value=s.value, n=len(s.runs), side=s) for s in sides),
        steps=tuple(_step(f, f.verdict) for f in steps if f.verdict != "equivalent"),
    )  # fmt: skip


def joint(
    findings: Sequence[Finding], ladders: Sequence[Ladder], session: Session
) -> tuple[tuple[Finding, ...], tuple[Ladder, ...]]:
    """Ladders with the steps that all kernels together show, and the findings of their neighbours in accord with them.

    The level is shared by the ladders of primary metrics; the others have it each, and prove nothing alone.
    """
    share = max(1, sum(ladder.primary for ladder in ladders))
    changed = list(findings)
    made = []
    for ladder in ladders:
        places = {_place(f): index for index, f in enumerate(changed) if _of(f, ladder)}
        level = session.threshold / (share if ladder.primary else 1)
        steps = _steps(ladder, [changed[i] for i in places.values()], level)
        for (base, head), index in places.items():
            changed[index] = _in_accord(changed[index], steps, ladder, base, head)
        made.append(msgspec.structs.replace(ladder, steps=tuple(steps.values())))
    return tuple(changed), tuple(made)


def _steps(ladder: Ladder, findings: Sequence[Finding], level: float) -> dict[tuple[str, str], LadderStep]:
    """By (from, to): what the gate refused, and the boundaries in each stretch of kernels that may be compared."""
    pairs = {_place(f): f for f in findings}
    names = [point.kernel for point in ladder.points]
    measured = [i for i, point in enumerate(ladder.points) if len(point.side.runs) >= MINIMUM_BOOTS]
    found = {}
    stretch: list[int] = []
    stretches = [stretch]
    for pair in (pairs.get(place) for place in pairwise(names)):
        if pair is not None and pair.verdict in REFUSED:
            found[_place(pair)] = _step(pair, pair.verdict)
    for index in measured:
        if stretch and any(_refused(pairs, names[a], names[b]) for a, b in pairwise(range(stretch[-1], index + 1))):
            stretch = []
            stretches.append(stretch)
        stretch.append(index)
    for members in stretches:
        for before, here in _boundaries(ladder, members, level):
            pair = pairs.get((names[before], names[here]))
            change = pair.change if pair is not None else _ratio(ladder, before, here)
            if change:
                better = pair.better if pair is not None else "lower"
                verdict = verdict_of(change, better) if better != "unknown" else "inconclusive"
                found[names[before], names[here]] = LadderStep(
                    from_kernel=names[before], to_kernel=names[here], change=change, verdict=verdict
                )
    return dict(sorted(found.items(), key=lambda item: names.index(item[0][1])))


def _boundaries(ladder: Ladder, members: Sequence[int], level: float) -> list[tuple[int, int]]:
    """Neighbours among these kernels between which the level changes."""
    if len(members) < 2:
        return []
    from kassay.analysis.statistics.segments import LadderBoot, boundaries

    boots = [
        LadderBoot(block, place, value)
        for place, index in enumerate(members)
        for block, value in zip(_blocks(ladder.points[index].side), ladder.points[index].side.runs, strict=True)
    ]
    return [(members[place - 1], members[place]) for place, _, _ in boundaries(boots, level)]


def _blocks(side: Side) -> Sequence[int]:
    return side.blocks if len(side.blocks) == len(side.runs) else [0] * len(side.runs)


def _in_accord(f: Finding, steps: dict[tuple[str, str], LadderStep], ladder: Ladder, base: str, head: str) -> Finding:
    """A neighbour's finding says what the ladder says: a step is a change, and no step is none."""
    names = [point.kernel for point in ladder.points]
    if f.verdict in REFUSED or abs(names.index(head) - names.index(base)) > 1 or f.timing is None or f.timing.p is None:
        return f
    step = steps.get((base, head))
    if step is not None and f.verdict not in _CHANGES and step.verdict in _CHANGES and f.verdict != "equivalent":
        reason = "all kernels together place a step here; these two alone do not show it"
        return msgspec.structs.replace(f, verdict=step.verdict, evidence="partial", reasons=(reason, *f.reasons))
    if step is None and f.verdict in _CHANGES:
        reason = "these two alone differ, but all kernels together place no step here"
        return msgspec.structs.replace(f, verdict="inconclusive", evidence="partial", reasons=(reason, *f.reasons))
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


def _ratio(ladder: Ladder, base: int, head: int) -> float | None:
    a, b = ladder.points[base].value, ladder.points[head].value
    return b / a - 1 if a and b is not None else None


def _step(f: Finding, verdict: str) -> LadderStep:
    return LadderStep(from_kernel=f.sides[0].kernel, to_kernel=f.sides[1].kernel, change=f.change, verdict=verdict)
