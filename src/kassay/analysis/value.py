# SPDX-License-Identifier: GPL-2.0-only
"""Cost of one kernel, point by point and phase by phase, with what the gate says of it. Nothing is compared."""

from collections.abc import Iterable, Iterator

from kassay.analysis.analyse import phases_of, refusals_of
from kassay.analysis.host_disagreements import with_disagreements
from kassay.analysis.kernel_side import build_side
from kassay.analysis.rounds import method_of
from kassay.model.finding import Side
from kassay.model.machine import Point
from kassay.model.plan import Plan
from kassay.model.reason import Reason
from kassay.model.records import Record
from kassay.model.run import CellEvidence
from kassay.supply.clocks import clock_of


class Value(Record, frozen=True, kw_only=True):
    """One phase of one kernel at one point."""

    point: Point
    metric: str
    unit: str
    primary: bool
    side: Side
    refused: tuple[Reason, ...] = ()
    """The gate's reasons, for this kernel alone; empty if it admits the value."""


def values(plan: Plan, evidence: Iterable[CellEvidence]) -> tuple[Value, ...]:
    """Every declared phase of each cell of a plan whose question is "value"; those without rounds are left out."""
    return tuple(value for item in with_disagreements(evidence) for value in _values(plan, item))


def primary_values(plan: Plan, evidence: Iterable[CellEvidence]) -> tuple[Value, ...]:
    """At each point the value of the phase that the workload's verdict is about."""
    return tuple(value for value in values(plan, evidence) if value.primary)


def _values(plan: Plan, item: CellEvidence) -> Iterator[Value]:
    refused = tuple(dict.fromkeys(refusal.reason for refusal in refusals_of(item, item)))
    for phase in phases_of(plan, (item,)):
        yield Value(
            point=item.cell.point,
            metric=phase.name,
            unit=f"{clock_of(item.cell.machine.clock).unit}/{phase.operation}",
            primary=phase.primary,
            side=build_side(item, phase.name, method_of((item,), phase.name)),
            refused=refused,
        )
