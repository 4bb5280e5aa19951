# SPDX-License-Identifier: GPL-2.0-only
"""Steps between kernels in order, also those that creep.

A timed ladder is judged as one question: where does the level change? Single pairs cannot answer that alone.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

import msgspec

from kassay.analysis.kernel_side import build_side
from kassay.analysis.planned_looks import MINIMUM_BOOTS
from kassay.analysis.rounds import Method
from kassay.analysis.timed import Session, verdict_of
from kassay.model.finding import CHANGES, REFUSED, Finding, Ladder, LadderPoint, LadderStep, Side
from kassay.model.reason import reason
from kassay.model.run import CellEvidence
from kassay.model.workload import Phase
from kassay.supply.clocks import clock_of

Compare = Callable[[int, int], Finding]
_Pairs = Mapping[tuple[str, str], Finding]
"""Findings by the names of their kernels."""


def build_ladder(group: tuple[CellEvidence, ...], phase: Phase, steps: Sequence[Finding], by: Method) -> Ladder:
    """Points of one metric in kernel order, and its steps (of find_steps)."""
    machine = group[0].cell.machine
    sides = [build_side(item, phase.name, by) for item in group]
    return Ladder(
        workload=group[0].cell.workload,
        metric=phase.name,
        unit=f"{clock_of(machine.clock).unit}/{phase.operation}",
        primary=phase.primary,
        settings=group[0].cell.settings,
        machine=machine,
        points=tuple(LadderPoint(kernel=s.kernel, value=s.value, n=len(s.runs), side=s) for s in sides),
        steps=tuple(step_of(finding) for finding in steps),
    )


def find_steps(measured: Sequence[bool], compare: Compare) -> list[Finding]:
    """Every comparison that is not equivalent, walking up the ladder. measured: which kernels have a value.

    Each kernel is compared with the last one before it that was measured, and, where that comparison is refused, with
    the last one that it may be compared with: a kernel that failed or was refused cannot hide a step. When these two
    are equivalent, it is compared with the first one since the last step: changes that are each inside the margin must
    not add up unseen.
    """
    steps: list[Finding] = []
    # Kernels that admitted comparisons connect are a chain: its last kernel, and the first one since its last step.
    chains: list[tuple[int, int]] = []
    for head, is_measured in enumerate(measured):
        if not chains or not is_measured:
            steps += [compare(chains[-1][0] if chains else head - 1, head)] if head else []
            chains += [(head, head)] if is_measured else []
            continue
        neighbour = compare(chains[-1][0], head)
        steps += [neighbour] if neighbour.verdict in REFUSED else []
        chain = next((one for one in reversed(chains) if compare(one[0], head).verdict not in REFUSED), None)
        if chain is None:
            chains.append((head, head))
            continue
        chains.remove(chain)
        last, anchor = chain
        finding = compare(last, head)
        if finding.verdict == "equivalent" and anchor < last:
            finding = compare(anchor, head)
        if finding.verdict != "equivalent":
            steps.append(finding)
            anchor = head
        chains.append((head, anchor))
    return steps


def step_of(finding: Finding) -> LadderStep:
    """Step of a ladder, from the comparison that found it."""
    return LadderStep(
        from_kernel=finding.sides[0].kernel,
        to_kernel=finding.sides[1].kernel,
        change=finding.change,
        verdict=finding.verdict,
    )


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
        members = [index for index, f in enumerate(changed) if _of(f, ladder)]
        pairs = {_pair(changed[index]): changed[index] for index in members}
        breaks, neighbours = _breaks(ladder, pairs, level, session), _neighbours(ladder, pairs)
        for index in members:
            changed[index] = _in_accord(changed[index], ladder, breaks, neighbours)
    return tuple(changed)


def with_steps(ladders: Sequence[Ladder], findings: Sequence[Finding]) -> tuple[Ladder, ...]:
    """Ladders whose steps are what the findings of neighbours say, in order."""
    completed = []
    for ladder in ladders:
        pairs = {_pair(f): f for f in findings if _of(f, ladder)}
        neighbours = _neighbours(ladder, pairs)
        steps = [step_of(f) for pair in neighbours if (f := pairs.get(pair)) and f.verdict != "equivalent"]
        completed.append(msgspec.structs.replace(ladder, steps=tuple(steps)))
    return tuple(completed)


def _neighbours(ladder: Ladder, pairs: _Pairs) -> list[tuple[str, str]]:
    """Pairs of kernels next to each other, of measured ones with only unmeasured ones between, and of one that was
    refused with the last one that it may be compared with."""
    order = [point.kernel for point in ladder.points]
    measured = pairwise(point.kernel for point in ladder.points if point.value is not None)
    found = {*pairwise(order), *measured}
    for head in {head for base, head in found if _refused(pairs, base, head)}:
        before = [base for base in order[: order.index(head)] if _admitted(pairs, base, head)]
        found |= {(before[-1], head)} if before else set()
    return sorted(found, key=lambda pair: (order.index(pair[1]), order.index(pair[0])))


def _breaks(ladder: Ladder, pairs: _Pairs, level: float, session: Session) -> list[int]:
    """Indices of the kernels at which the level changes, each stretch that may be compared judged jointly."""
    names = [point.kernel for point in ladder.points]
    stretches: list[list[int]] = [[]]
    for index, point in enumerate(ladder.points):
        if len(point.side.runs) < MINIMUM_BOOTS or session.look is None or min(point.side.runs) <= 0:
            continue
        last = stretches[-1][-1] if stretches[-1] else index
        if any(_refused(pairs, names[a], names[b]) for a, b in pairwise(range(last, index + 1))):
            joined = (one for one in reversed(stretches) if _admitted(pairs, names[one[-1]], names[index]))
            stretch: list[int] = next(joined, [])
            stretches = [*(one for one in stretches if one is not stretch), stretch]
        stretches[-1].append(index)
    return [boundary for members in stretches for boundary in _boundaries(ladder, members, level, session)]


def _boundaries(ladder: Ladder, members: Sequence[int], level: float, session: Session) -> list[int]:
    """Members at which the level changes."""
    if len(members) < 2:
        return []
    from kassay.analysis.statistics.segments import LadderBoot, boundaries

    sides = [ladder.points[index].side for index in members]
    # Sorted by host: residuals() joins each block with the one before and the one after, which should be of its host.
    order = {
        key: number for number, key in enumerate(sorted({key for side in sides for key in _blocks(side, session)}))
    }
    boots = [
        LadderBoot(order[key], position, value)
        for position, side in enumerate(sides)
        for key, value in zip(_blocks(side, session), side.runs, strict=True)
    ]
    return [members[boundary.at] for boundary in boundaries(boots, level)]


def _blocks(side: Side, session: Session) -> Sequence[tuple[str, int]]:
    """Host and block of each run."""
    in_blocks = session.blocks and len(side.blocks) == len(side.runs)
    return tuple(zip(side.made_by, side.blocks if in_blocks else [0] * len(side.runs), strict=True))


def _in_accord(f: Finding, ladder: Ladder, breaks: Sequence[int], neighbours: Collection[tuple[str, str]]) -> Finding:
    """A change needs a break between its two kernels; with one, neighbours that are undecided alone have a step."""
    if f.timing is None or f.timing.p is None or f.change is None:
        return f
    names = [point.kernel for point in ladder.points]
    base, head = (names.index(side.kernel) for side in f.sides)
    between = any(base < boundary <= head for boundary in breaks)
    if f.verdict in CHANGES and not between:
        reasons = (reason("no-step-between"), *f.reasons)
        return msgspec.structs.replace(f, verdict="inconclusive", evidence="partial", reasons=reasons)
    if f.verdict == "inconclusive" and between and (names[base], names[head]) in neighbours:
        if f.better == "unknown":
            return f
        return msgspec.structs.replace(
            f, verdict=verdict_of(f.change, f.better), evidence="partial", reasons=(reason("step-of-all"), *f.reasons)
        )
    return f


def _refused(pairs: _Pairs, base: str, head: str) -> bool:
    pair = pairs.get((base, head))
    return pair is not None and pair.verdict in REFUSED and pair.verdict != "incomplete"


def _admitted(pairs: _Pairs, base: str, head: str) -> bool:
    pair = pairs.get((base, head))
    return pair is not None and pair.verdict not in REFUSED


def _of(f: Finding, ladder: Ladder) -> bool:
    return (f.workload, f.metric, f.settings, f.machine) == (
        ladder.workload, ladder.metric, ladder.settings, ladder.machine,
    )  # fmt: skip


def _pair(f: Finding) -> tuple[str, str]:
    return f.kernels
