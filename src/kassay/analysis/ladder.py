# SPDX-License-Identifier: GPL-2.0-only
"""A ladder of kernels: every step, also the ones that creep."""

from collections.abc import Callable, Sequence

from kassay.analysis.rounds import Method
from kassay.analysis.side import build_side
from kassay.clocks import clock_of
from kassay.model.finding import Finding, Ladder, LadderPoint, LadderStep
from kassay.model.measurement import CellEvidence
from kassay.model.workload import Phase

Compare = Callable[[int, int], Finding]


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

    Each kernel is compared with the last one before it that was measured, so that a kernel
    that failed cannot hide a step, and, when these two are equivalent, with the first one
    since the last step: changes that are each inside the margin must not add up unseen.
    """
    found: list[Finding] = []
    anchor: int | None = None
    last: int | None = None
    for head, there in enumerate(measured):
        if anchor is None or last is None:  # nothing before it was measured
            found += [compare(head - 1, head)] if head else []
            anchor = last = head if there else None
            continue
        finding = compare(last, head)
        if there and finding.verdict == "equivalent" and anchor < last:
            finding = compare(anchor, head)
        if finding.verdict != "equivalent":
            found.append(finding)
            anchor = head if there else anchor
        last = head if there else last
    return found


def step_of(finding: Finding) -> LadderStep:
    """What a ladder keeps of the comparison that found a step."""
    return LadderStep(
        from_kernel=finding.sides[0].kernel,
        to_kernel=finding.sides[1].kernel,
        change=finding.change,
        verdict=finding.verdict,
    )
