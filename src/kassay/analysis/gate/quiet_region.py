# SPDX-License-Identifier: GPL-2.0-only
"""Nothing but the workload ran inside the measured region, up to a small share.

The kernel's own threads that finish what the workload began (freeing after a grace
period, softirqs, reclaim) are part of the workload's cost and not counted here.
"""

from collections.abc import Iterable

from msgspec import structs

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.profile import RegionSummary
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence, Measurement
from kassay.supply.clocks import clock_of

LIMIT = 0.01
"""Share of the region that other tasks may have taken: periodic kernel work stays far below it."""

DEFERRED = ("rcu_preempt", "rcu_sched", "rcu_exp", "rcuc/", "rcuog/", "rcuop/", "rcub/", "ksoftirqd/", "kswapd",
            "kthreadd")  # fmt: skip
"""Names of threads that do work the workload deferred, as the kernel gives them."""

_KWORKER, _GRACE_PERIODS = "kworker/", ("-rcu_gp", "-rcu_par_gp")
"""Begin of the names of kworkers, and ends of those that end RCU's grace periods: the kernel adds the queue."""

_CALLERS = ("rcuc/", "rcuop/", "ksoftirqd/")
"""Threads that call RCU callbacks and functions of timers."""

TIMED_SHARE = 0.2
"""Share of timed boots that may have been disturbed; with more, a comparison is refused."""

_NAMED = 3  # functions and tasks in a reason: enough to recognise what ran


def without_disturbed(evidence: Iterable[CellEvidence]) -> tuple[CellEvidence, ...]:
    """The evidence without perturbed runs of exact counts in which other tasks ran.

    Such a run shows nothing about the layout. They stay if a plain run is disturbed as well, or if no perturbed one is
    clean: the comparison is refused then.
    """
    return tuple(map(_clean, evidence))


def _clean(side: CellEvidence) -> CellEvidence:
    clock = clock_of(side.cell.machine.clock)
    dirty = [] if clock.native or clock.timed else [one for one in side.measurements if disturbed((one,), timed=False)]
    kept = tuple(one for one in side.measurements if one not in dirty)
    if not dirty or any(one.plain for one in dirty) or all(one.plain for one in kept):
        return side
    return structs.replace(side, measurements=kept, left_out=len(dirty))


def _doubt(side: CellEvidence) -> Reason | None:
    """Runs in which other tasks ran, and which are too few to refuse the comparison."""
    if side.left_out:
        return reason("perturbed-left-out", count=side.left_out)
    clock, plain = clock_of(side.cell.machine.clock), [m for m in side.measurements if m.plain]
    dirty = disturbed(plain, timed=True) if clock.timed and not clock.native else []
    return reason("others-in-boots", count=len(dirty), boots=len(plain)) if dirty else None


def disturbed(measurements: Iterable[Measurement], *, timed: bool) -> list[Reason]:
    """A reason for every run in which other tasks took too much of the region."""
    return [why for measurement in measurements if (why := _not_quiet(measurement) or _foreign(measurement, timed))]


def _side(side: CellEvidence) -> tuple[Refusal, ...]:
    clock = clock_of(side.cell.machine.clock)
    if clock.native:  # there other work is part of the time, and reports say so
        return ()
    reasons = disturbed(side.measurements, timed=clock.timed)
    # With exact counts every run must be clean. With times nearly all: a rank test tolerates single outliers, and
    # _doubt() reports them.
    if not reasons or (clock.timed and len(reasons) <= TIMED_SHARE * len(side.measurements)):
        return ()
    more = len(reasons) - 1 or None
    why = reason(reasons[0].code, side.label, **{**dict(reasons[0].arguments), "more": more})
    return (Refusal(verdict="contaminated", reason=why),)


def _not_quiet(measurement: Measurement) -> Reason | None:
    if measurement.quiescence is not None and measurement.quiescence.startswith("busy"):
        return reason("guest-busy", run=measurement.run, quiescence=measurement.quiescence, more=None)
    return None


def _foreign(measurement: Measurement, timed: bool) -> Reason | None:
    """The problem, or None. A usable profile decides; without one the kernel's own record of run times does."""
    if measurement.region is not None and not measurement.region.problem:
        return _by_instructions(measurement, measurement.region, timed)
    share = _share(measurement, deferred=False)
    if share <= LIMIT:
        return None
    name, ns = _tasks(measurement, deferred=False)[0]
    problem = measurement.region.problem if measurement.region is not None else None
    return reason("others-took-time", run=measurement.run, share=share, task=name, ns=ns, problem=problem, more=None)


def _by_instructions(measurement: Measurement, region: RegionSummary, timed: bool) -> Reason | None:
    """Interrupts are no other tasks: what they take is reported, not refused. Neither is what others do where the
    workload reports nothing, as when it waits for the kernel to make its state.

    What threads of DEFERRED execute is known by their run time. Where instructions are counted, each takes 1 ns, idle
    time takes none, and so the time is a number of instructions. Else it stands for its share of the region.
    """
    total = sum(count for _, count in region.counts) - region.unreported
    other = dict(region.counts).get("other", 0) - region.unreported
    served = _share(measurement, deferred=True) * total if timed else _serving(measurement, region, other)
    share = (other - served) / total if total else 0.0
    if share <= LIMIT:
        return None
    return reason(
        "others-executed", run=measurement.run, share=share, functions=region.others[:_NAMED],
        tasks=tuple(_tasks(measurement, deferred=False)[:_NAMED]), more=None,
    )  # fmt: skip


def _serving(measurement: Measurement, region: RegionSummary, other: int) -> int:
    """Instructions of other tasks that are of threads of DEFERRED.

    These threads also call what the workload queued, which is its own and no part of `other`. It is at most what was
    called at all, and no more is left for these threads, and for kworkers that end grace periods, than what the
    remaining tasks leave of `other`. Both bounds are too low where calls come from interrupts, and where interrupts are
    part of the run times.
    """
    counts, tasks = dict(region.counts), _tasks(measurement, deferred=True)
    serving = sum(ns for _, ns in tasks)
    calling = sum(ns for name, ns in tasks if name.startswith(_CALLERS))
    called = min(counts.get("rcu-callback", 0) + counts.get("timer", 0), calling)
    remaining = _tasks(measurement, deferred=False)
    kworkers = [(name, ns) for name, ns in remaining if name.startswith(_KWORKER)]
    ending = sum(ns for name, ns in kworkers if name.endswith(_GRACE_PERIODS))
    working = sum(ns for _, ns in kworkers) - ending
    # kworkers execute the workload's items, which are no others' either
    rest = sum(ns for _, ns in remaining) - working - ending + max(0, working - counts.get("work-item", 0))
    return max(0, serving - called, min(serving + ending, other - rest))


def _tasks(measurement: Measurement, *, deferred: bool) -> list[tuple[str, int]]:
    return [(name, ns) for name, ns in measurement.foreign_ns or () if name.startswith(DEFERRED) == deferred]


def _share(measurement: Measurement, *, deferred: bool) -> float:
    """Share of the region's time that other tasks ran. 0 if their run times are unknown, which a side's doubts
    report."""
    ns = sum(ns for _, ns in _tasks(measurement, deferred=deferred))
    return ns / measurement.region_ns if measurement.region_ns else 0.0


RULE = GateRule(
    name="quiet_region", summary="no other task ran inside the measured region", order=20,
    check=lambda base, head: (*_side(base), *_side(head)), doubt=_doubt,
)  # fmt: skip
