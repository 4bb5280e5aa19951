# SPDX-License-Identifier: GPL-2.0-only
"""A ladder of kernels: every step, also the ones that creep."""

from collections.abc import Callable

from kassay.analysis.side import build_side
from kassay.model.finding import Finding, Ladder, LadderPoint, LadderStep
from kassay.model.machine import UNITS
from kassay.model.measurement import CellEvidence
from kassay.model.workload import Phase

Compare = Callable[[int, int], Finding]


def build_ladder(group: tuple[CellEvidence, ...], phase: Phase, compare: Compare) -> Ladder:
    """Points of one metric in kernel order, and its steps."""
    machine = group[0].cell.machine
    sides = [build_side(item, phase.name, counts=machine.clock == "icount") for item in group]
    return Ladder(
        workload=group[0].cell.workload,
        metric=phase.name,
        unit=f"{UNITS[machine.clock]}/{phase.operation}",
        primary=phase.primary,
        settings=group[0].cell.settings,
        machine=machine,
        points=tuple(LadderPoint(kernel=s.kernel, value=s.value, n=len(s.runs), side=s) for s in sides),
        steps=tuple(_step(finding) for finding in find_steps(len(group), compare)),
    )


def find_steps(kernels: int, compare: Compare) -> list[Finding]:
    """Every comparison that is not equivalent, walking up the ladder.

    Each kernel is compared with its neighbour, and, when these two are equivalent, with the
    first kernel since the last step: changes that are each inside the margin must not add
    up unseen.
    """
    found: list[Finding] = []
    anchor = 0
    for head in range(1, kernels):
        finding = compare(head - 1, head)
        if finding.verdict == "equivalent" and anchor < head - 1:
            finding = compare(anchor, head)
        if finding.verdict != "equivalent":
            found.append(finding)
            anchor = head
    return found


def _step(finding: Finding) -> LadderStep:
    return LadderStep(
        from_kernel=finding.sides[0].kernel,
        to_kernel=finding.sides[1].kernel,
        change=finding.change,
        verdict=finding.verdict,
    )
