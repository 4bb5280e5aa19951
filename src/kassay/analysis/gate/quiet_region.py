# SPDX-License-Identifier: GPL-2.0-only
"""Nothing but the workload ran inside the measured region, up to a small share."""

from kassay.analysis.gate._rule import GateRule, Refusal
from kassay.model.measurement import CellEvidence

LIMIT = 0.01
"""Share of the region that other tasks may have taken: periodic kernel work stays far below it."""


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    return (*_side(base), *_side(head))


def _side(side: CellEvidence) -> tuple[Refusal, ...]:
    for measurement in side.measurements:
        if not measurement.foreign_ns or not measurement.region_ns:
            continue
        share = sum(ns for _, ns in measurement.foreign_ns) / measurement.region_ns
        if share > LIMIT:
            name, ns = measurement.foreign_ns[0]
            words = f"other tasks took {share:.1%} of the measured region, most of it {name} ({ns} ns)"
            return (Refusal(verdict="contaminated", reason=f"{side.label}, run {measurement.run}: {words}"),)
    return ()


RULE = GateRule(name="quiet_region", summary="no other task ran inside the measured region", order=20, check=_check)
