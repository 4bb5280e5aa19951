# SPDX-License-Identifier: GPL-2.0-only
"""What one kernel costs, phase by phase, with what the gate says of it; nothing is compared."""

from collections.abc import Iterable

from kassay.analysis.analyse import refusals_of
from kassay.analysis.side import build_side, method_of
from kassay.clocks import clock_of
from kassay.model.finding import Side
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from kassay.model.reason import Reason
from kassay.model.records import Record


class Value(Record, frozen=True, kw_only=True):
    """One phase of one kernel. refused: the gate's reasons, of this kernel alone; empty when it admits the value."""

    metric: str
    unit: str
    primary: bool
    side: Side
    refused: tuple[Reason, ...] = ()


def values(plan: Plan, evidence: Iterable[CellEvidence]) -> tuple[Value, ...]:
    """Every declared phase of the one cell of a plan whose question is "value"; those without rounds are left out."""
    (item,) = evidence
    declared = next(w.phases for w in plan.workloads if w.name == item.cell.workload)
    measured = {phase.phase for m in item.measurements for phase in m.phases}
    refused = tuple(dict.fromkeys(refusal.reason for refusal in refusals_of(item, item)))
    return tuple(
        Value(
            metric=phase.name,
            unit=f"{clock_of(item.cell.machine.clock).unit}/{phase.operation}",
            primary=phase.primary,
            side=build_side(item, phase.name, method_of((item,), phase.name)),
            refused=refused,
        )
        for phase in declared
        if phase.name in measured or not measured
    )


def primary_value(plan: Plan, evidence: Iterable[CellEvidence]) -> Value:
    """The value of the phase that the workload's verdict is about."""
    return next(value for value in values(plan, evidence) if value.primary)
