# SPDX-License-Identifier: GPL-2.0-only
"""(plan, evidence) -> findings and ladders; asks the gate, then the judge of the clock; has no formula."""

from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import structs

from kassay.analysis.call_costs import call_costs, operation_cost
from kassay.analysis.confounders import confounders, of_cpus, of_parameters
from kassay.analysis.counters import counted
from kassay.analysis.exact import judge_counts, judgement_without_estimate
from kassay.analysis.gate import Refusal, rules
from kassay.analysis.gate.quiet_region import without_disturbed
from kassay.analysis.host_disagreements import with_disagreements
from kassay.analysis.kernel_side import build_side, repeats_agree
from kassay.analysis.odd_rounds import odd_rounds
from kassay.analysis.planned_looks import as_of_last_look
from kassay.analysis.printed_rows import printed_difference
from kassay.analysis.rounds import Method, method_of
from kassay.analysis.session import Control, control_of, decided, judge_session, session_of
from kassay.analysis.steps import Compare, build_ladder, find_steps, in_accord, with_steps
from kassay.analysis.timed import Session, judge_times
from kassay.analysis.work_doubts import weakened, work_doubts
from kassay.model.finding import Confounder, Finding, Ladder, Side
from kassay.model.machine import Point
from kassay.model.plan import Plan
from kassay.model.preemption import booted
from kassay.model.question import Question
from kassay.model.records import grouped
from kassay.model.report import Comparisons
from kassay.model.run import CellEvidence
from kassay.model.work import CallCost
from kassay.model.workload import Phase
from kassay.supply.clocks import clock_of


def analyse(
    plan: Plan, evidence: Iterable[CellEvidence], question: Question, *, primary_only: bool = False
) -> Comparisons:
    """Every comparison that the question asks for, in plan order.

    Pure: the same plan and evidence give the same answer. primary_only: of the primary metrics, which decide.
    """
    if primary_only:
        plan = _primary(plan)
    if not plan.experiment.timed:
        findings, ladders = _compared(plan, question, with_disagreements(without_disturbed(evidence)), None)
        return Comparisons(findings, ladders)
    at_look, boots = as_of_last_look(plan, tuple(evidence))
    session = session_of(plan.experiment, boots)
    findings, ladders = _compared(plan, question, at_look, session)
    if question.ladder:
        findings = in_accord(findings, ladders, session)
    judged, families = judge_session(findings, _controls(plan, at_look, session), session, families=not question.ladder)
    if question.ladder:
        ladders = with_steps(ladders, judged)
    return Comparisons(judged, ladders, families, boots, boots is not None and decided(judged))


def _primary(plan: Plan) -> Plan:
    """The plan as if its workloads had no other phases."""
    workloads = [structs.replace(w, phases=tuple(p for p in w.phases if p.primary)) for w in plan.workloads]
    return structs.replace(plan, workloads=tuple(workloads))


def _compared(
    plan: Plan, question: Question, evidence: tuple[CellEvidence, ...], session: Session | None
) -> tuple[tuple[Finding, ...], tuple[Ladder, ...]]:
    findings: list[Finding] = []
    ladders: list[Ladder] = []
    for group in _groups(evidence):
        for phase in phases_of(plan, group):
            by = method_of(group, phase.name)
            pair = _comparer(plan, group, phase, by, session)
            compared = [pair(base, head) for base, head in question.pairs(plan.experiment.kernels[: len(group)])]
            if question.ladder:
                steps = find_steps([any(m.plain for m in item.measurements) for item in group], pair)
                ladders.append(build_ladder(group, phase, steps, by))
                compared += [step for step in steps if step not in compared]
            findings += compared
    return tuple(findings), tuple(ladders)


def _controls(plan: Plan, evidence: Sequence[CellEvidence], session: Session) -> dict[Point, Control]:
    """Check of the first kernel of each group against itself, in the group's primary phase. Empty without a timed
    control."""
    if not session.control:
        return {}
    controls = {}
    for group in _groups(evidence):
        phase = next(phase for phase in phases_of(plan, group) if phase.primary)
        controls[group[0].cell.point] = control_of(group[0], phase.name, session)
    return controls


def _comparer(
    plan: Plan, group: tuple[CellEvidence, ...], phase: Phase, by: Method, session: Session | None
) -> Compare:
    return cache(lambda base, head: compare(plan, group[base], group[head], phase, by, session))


def compare(plan: Plan, base: CellEvidence, head: CellEvidence, phase: Phase, by: Method,
            session: Session | None) -> Finding:  # fmt: skip
    """One comparison in one phase's metric. by: how the rounds of all its runs become numbers. session: of times; None
    for exact counts, which need none."""
    clock = clock_of(base.cell.machine.clock)
    base_side, head_side = (build_side(side, phase.name, by) for side in (base, head))
    sides = (base_side, head_side)
    definition = f"{clock.definition} per {phase.operation}. {phase.definition} Lower is better."
    refusals = refusals_of(base, head)
    if refusals:
        judged = judgement_without_estimate(refusals[0].verdict, *(refusal.reason for refusal in refusals))
    elif session is None:
        judged = judge_counts(*sides, plan.experiment.margin, repeats_agree(base) or repeats_agree(head))
    else:
        judged = judge_times(*sides, plan.experiment.margin, session)
    if not refusals and session is None:
        seen = (printed_difference(base, head), odd_rounds(base, head, phase.name, by, judged, plan.experiment.margin))
        doubts = (*work_doubts(base, head, plan.experiment.margin), *(doubt for doubt in seen if doubt is not None))
        judged = weakened(judged, doubts, plan.experiment.margin) if doubts else judged
    return Finding(
        workload=base.cell.workload, settings=base.cell.settings, machine=base.cell.machine,
        metric=phase.name, primary=phase.primary, unit=f"{clock.unit}/{phase.operation}",
        definition=definition, better="lower", base=base.kernel.ref, head=head.kernel.ref,
        base_value=sides[0].value, head_value=sides[1].value, change=judged.change, interval=judged.interval,
        n_base=len(sides[0].runs), n_head=len(sides[1].runs), verdict=judged.verdict, evidence=judged.evidence,
        scope=clock.scope, reasons=judged.reasons, sides=sides,
        differences=tuple(d for r in refusals for d in r.differences), floor=judged.floor,
        timing=judged.timing, confounders=_confounders(base, head), calls=_calls(plan, base, head, sides, refusals),
        counters=counted(base, head, phase.name) if phase.primary else (),
    )  # fmt: skip


def _calls(
    plan: Plan, base: CellEvidence, head: CellEvidence, sides: tuple[Side, Side], refusals: Sequence[Refusal]
) -> tuple[CallCost, ...]:
    """Cost of one call of each kind; empty if the comparison is refused for anything but its amount of work. If it is
    refused for that, the cost of one printed operation is the first."""
    if any(refusal.verdict != "different-work" for refusal in refusals):
        return ()
    margin, disagreement = plan.experiment.margin, repeats_agree(base) or repeats_agree(head)
    operation = operation_cost(base, head, sides, margin, disagreement) if refusals else None
    calls = call_costs(base, head, sides, margin, disagreement, refused=bool(refusals))
    return calls if operation is None else (operation, *calls)


def _confounders(base: CellEvidence, head: CellEvidence) -> tuple[Confounder, ...]:
    """Differences between the sides other than the kernel. If one kernel ran on two CPUs or with two command lines,
    these are the comparison."""
    found = confounders(
        *(structs.replace(item.kernel, configuration=booted(item.kernel, item.cell.cmdline)) for item in (base, head))
    )
    same_kernel = base.kernel.image_sha256 is not None and base.kernel.image_sha256 == head.kernel.image_sha256
    if same_kernel:
        return found
    return (*found, *of_cpus(base.cell, head.cell), *of_parameters(base.cell, head.cell))


def with_itself(plan: Plan, evidence: Iterable[CellEvidence]) -> tuple[Finding, ...]:
    """Each cell compared with itself, in every phase: what is known of a kernel that is compared with no other."""
    session = session_of(plan.experiment, None) if plan.experiment.timed else None
    return tuple(
        compare(plan, item, item, phase, method_of((item,), phase.name), session)
        for item in with_disagreements(evidence)
        for phase in phases_of(plan, (item,))
    )


def refusals_of(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    """Refusals of the first gate rule that refuses, with all its reasons. Empty if every rule admits the comparison."""
    return next((found for rule in rules() if (found := rule.check(base, head))), ())


def _groups(evidence: Iterable[CellEvidence]) -> list[tuple[CellEvidence, ...]]:
    """Cells that differ in the kernel only, in kernel order."""
    groups = grouped((item.cell.setting_key, item) for item in evidence)
    return [tuple(sorted(group, key=lambda item: item.cell.kernel)) for group in groups.values()]


def phases_of(plan: Plan, group: tuple[CellEvidence, ...]) -> tuple[Phase, ...]:
    """The workload's phases that these settings have (touch=none has no touch); all, where nothing was measured."""
    declared = next(w.phases for w in plan.workloads if w.name == group[0].cell.workload)
    measured = {phase.phase for item in group for m in item.measurements for phase in m.phases}
    return tuple(phase for phase in declared if phase.name in measured) or declared
