# SPDX-License-Identifier: GPL-2.0-only
"""(plan, evidence) -> findings and ladders; asks the gate, then the judge of the clock, and holds no formula."""

from collections.abc import Iterable
from functools import cache

from kassay.analysis.exact import judge_counts, withheld
from kassay.analysis.gate._rule import GateRule, Refusal
from kassay.analysis.ladder import Compare, build_ladder, find_steps
from kassay.analysis.side import all_have_mode, build_side, repeats_agree
from kassay.analysis.timed import judge_times
from kassay.model.finding import Finding, Ladder
from kassay.model.machine import SCOPES, UNITS
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from kassay.model.workload import Phase
from kassay.registry import discover


def analyse(plan: Plan, evidence: Iterable[CellEvidence]) -> tuple[tuple[Finding, ...], tuple[Ladder, ...]]:
    """Every comparison of the plan, in plan order; neighbours for a ladder, and its two ends.

    Pure: the same plan and evidence give the same findings.
    """
    findings: list[Finding] = []
    ladders: list[Ladder] = []
    for group in _groups(evidence):
        for phase in _phases(plan, group):
            mode = group[0].cell.machine.clock == "icount" and all_have_mode(group, phase.name)
            pair = _comparer(plan, group, phase, mode)
            compared = [pair(base, head) for base, head in _pairs(plan, len(group))]
            if plan.experiment.question == "ladder":
                steps = find_steps([_measured(item) for item in group], pair)
                ladders.append(build_ladder(group, phase, steps, mode))
                compared += [step for step in steps if step not in compared]
            findings += compared
    return tuple(findings), tuple(ladders)


def _measured(item: CellEvidence) -> bool:
    return any(measurement.perturbation == 0 for measurement in item.measurements)


def _comparer(plan: Plan, group: tuple[CellEvidence, ...], phase: Phase, mode: bool) -> Compare:
    return cache(lambda base, head: compare(plan, group[base], group[head], phase, mode=mode))


def compare(plan: Plan, base: CellEvidence, head: CellEvidence, phase: Phase, *, mode: bool) -> Finding:
    """One comparison in one phase's metric. mode: how the rounds of all its runs become numbers."""
    clock = base.cell.machine.clock
    counts = clock == "icount"
    base_side, head_side = (build_side(side, phase.name, counts=counts, mode=mode) for side in (base, head))
    sides = (base_side, head_side)
    refusals = refusals_of(base, head)
    if refusals:
        judged = withheld(refusals[0].verdict, *(refusal.reason for refusal in refusals))
    elif counts:
        judged = judge_counts(*sides, plan.experiment.margin, repeats_agree(base) or repeats_agree(head))
    else:
        judged = judge_times(*sides, plan.experiment.margin, clock)
    return Finding(
        workload=base.cell.workload, settings=base.cell.settings, machine=base.cell.machine,
        metric=phase.name, primary=phase.primary, unit=f"{UNITS[clock]}/{phase.operation}",
        definition=_definition(phase, clock), better="lower", base=base.kernel.ref, head=head.kernel.ref,
        base_value=sides[0].value, head_value=sides[1].value, change=judged.change, interval=judged.interval,
        n_base=len(sides[0].runs), n_head=len(sides[1].runs), verdict=judged.verdict, evidence=judged.evidence,
        scope=SCOPES[clock], reasons=judged.reasons, sides=sides,
        differences=tuple(d for r in refusals for d in r.differences), floor=judged.floor,
    )  # fmt: skip


def refusals_of(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    """What the gate says: the first rule that refuses, with all its reasons."""
    rules = sorted(discover("kassay.analysis.gate", "RULE", GateRule).values(), key=lambda rule: rule.order)
    return next((found for rule in rules if (found := rule.check(base, head))), ())


def _groups(evidence: Iterable[CellEvidence]) -> list[tuple[CellEvidence, ...]]:
    """Cells that differ in the kernel only, in kernel order."""
    groups: dict[str, list[CellEvidence]] = {}
    for item in evidence:
        groups.setdefault(item.cell.setting_key, []).append(item)
    return [tuple(sorted(group, key=lambda item: item.cell.kernel)) for group in groups.values()]


def _pairs(plan: Plan, kernels: int) -> list[tuple[int, int]]:
    neighbours = [(i, i + 1) for i in range(kernels - 1)]
    return [*neighbours, (0, kernels - 1)] if plan.experiment.question == "ladder" and kernels > 2 else neighbours


def _phases(plan: Plan, group: tuple[CellEvidence, ...]) -> tuple[Phase, ...]:
    """The workload's phases that these settings have (touch=none has no touch); all, where nothing was measured."""
    declared = next(w.phases for w in plan.workloads if w.name == group[0].cell.workload)
    measured = {phase.phase for item in group for m in item.measurements for phase in m.phases}
    return tuple(phase for phase in declared if phase.name in measured) or declared


def _definition(phase: Phase, clock: str) -> str:
    what = "Instructions executed by the guest" if clock == "icount" else "Wall time"
    return f"{what} per {phase.operation}. {phase.definition} Lower is better."
