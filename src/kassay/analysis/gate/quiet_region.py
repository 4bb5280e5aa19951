# SPDX-License-Identifier: GPL-2.0-only
"""Nothing but the workload ran inside the measured region, up to a small share.

The kernel's own threads that finish what the workload began (freeing after a grace
period, softirqs, reclaim) are part of the workload's cost and not counted here.
"""

from collections.abc import Iterable

from kassay.analysis.gate import GateRule, Refusal
from kassay.clocks import clock_of
from kassay.model.measurement import CellEvidence, Measurement
from kassay.model.profile import RegionSummary

LIMIT = 0.01
"""Share of the region that other tasks may have taken: periodic kernel work stays far below it."""

DEFERRED = ("rcu_preempt", "rcu_sched", "rcu_exp", "rcuc/", "rcuog/", "rcuop/", "rcub/", "ksoftirqd/", "kswapd")
"""Names of threads that do work the workload deferred, as the kernel gives them."""

TIMED_SHARE = 0.2
"""Of timed boots: as many may have been disturbed before a comparison is refused."""

_NAMED = 3  # functions and tasks in a reason: enough to recognise what ran


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    return (*_side(base), *_side(head))


def disturbed(measurements: Iterable[Measurement]) -> list[tuple[str, str]]:
    """(run, why) of every run in which other tasks had too much of the region."""
    said = ((measurement.run, _restless(measurement) or _foreign(measurement)) for measurement in measurements)
    return [(run, words) for run, words in said if words]


def _side(side: CellEvidence) -> tuple[Refusal, ...]:
    clock = clock_of(side.cell.machine.clock)
    if clock.native:  # other work is part of the time there, and said to be
        return ()
    found = disturbed(side.measurements)
    # Of exact counts every run must be clean. Of times nearly all: a rank test bears single strays, and they are told.
    if not found or (not clock.exact and len(found) <= TIMED_SHARE * len(side.measurements)):
        return ()
    often = f" (and {len(found) - 1} more runs)" if len(found) > 1 else ""
    return (Refusal(verdict="contaminated", reason=f"{side.label}, run {found[0][0]}: {found[0][1]}{often}"),)


def _restless(measurement: Measurement) -> str:
    if measurement.quiescence is not None and measurement.quiescence.startswith("busy"):
        return f"the guest never became quiet before the workload: {measurement.quiescence}"
    return ""


def _foreign(measurement: Measurement) -> str:
    """What is wrong, or "". A sound profile is asked, else the kernel's own record of run times."""
    if measurement.region is not None and not measurement.region.problem:
        return _by_instructions(measurement, measurement.region)
    share = _share(measurement, deferred=False)
    if share <= LIMIT:
        return ""
    name, ns = _tasks(measurement, deferred=False)[0]
    return f"other tasks took {share:.1%} of the measured region, most of it {name} ({ns} ns)"


def _by_instructions(measurement: Measurement, region: RegionSummary) -> str:
    """Interrupts are no other tasks: what they take is reported, not refused."""
    total = sum(count for _, count in region.counts)
    share = dict(region.counts).get("other", 0) / total if total else 0.0
    if share - _share(measurement, deferred=True) <= LIMIT:
        return ""
    functions = ", ".join(f"{name} ({count})" for name, count in region.others[:_NAMED])
    names = ", ".join(name for name, _ in _tasks(measurement, deferred=False)[:_NAMED])
    where = f", most in {functions}" if functions else ""
    return f"other tasks{names and f' ({names})'} executed {share:.1%} of the measured region's instructions{where}"


def _tasks(measurement: Measurement, *, deferred: bool) -> list[tuple[str, int]]:
    return [(name, ns) for name, ns in measurement.foreign_ns or () if name.startswith(DEFERRED) == deferred]


def _share(measurement: Measurement, *, deferred: bool) -> float:
    """Of the region's time, by the run times of tasks; 0 where these are not known, which a side's doubts tell."""
    ns = sum(ns for _, ns in _tasks(measurement, deferred=deferred))
    return ns / measurement.region_ns if measurement.region_ns else 0.0


RULE = GateRule(name="quiet_region", summary="no other task ran inside the measured region", order=20, check=_check)
