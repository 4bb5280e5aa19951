# SPDX-License-Identifier: GPL-2.0-only
"""Nothing but the workload ran inside the measured region, up to a small share.

The kernel's own threads that finish what the workload began (freeing after a grace
period, softirqs, reclaim) are part of the workload's cost and not counted here.
"""

from kassay.analysis.gate._rule import GateRule, Refusal
from kassay.model.measurement import CellEvidence

LIMIT = 0.01
"""Share of the region that other tasks may have taken: periodic kernel work stays far below it."""

DEFERRED = ("rcu_preempt", "rcu_sched", "rcu_exp", "rcuc/", "rcuog/", "rcuop/", "rcub/", "ksoftirqd/", "kswapd")
"""Names of threads that do work the workload deferred, as the kernel gives them."""


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    return (*_side(base), *_side(head))


def _side(side: CellEvidence) -> tuple[Refusal, ...]:
    if side.cell.machine.clock == "host":  # other work is part of the time there, and said to be
        return ()
    for measurement in side.measurements:
        if measurement.quiescence is not None and measurement.quiescence.startswith("busy"):
            words = f"the guest never became quiet before the workload: {measurement.quiescence}"
            return (Refusal(verdict="contaminated", reason=f"{side.label}, run {measurement.run}: {words}"),)
        if not measurement.foreign_ns or not measurement.region_ns:
            continue
        foreign = [(name, ns) for name, ns in measurement.foreign_ns if not name.startswith(DEFERRED)]
        share = sum(ns for _, ns in foreign) / measurement.region_ns
        if share > LIMIT:
            name, ns = foreign[0]
            words = f"other tasks took {share:.1%} of the measured region, most of it {name} ({ns} ns)"
            return (Refusal(verdict="contaminated", reason=f"{side.label}, run {measurement.run}: {words}"),)
    return ()


RULE = GateRule(name="quiet_region", summary="no other task ran inside the measured region", order=20, check=_check)
