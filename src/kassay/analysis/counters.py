# SPDX-License-Identifier: GPL-2.0-only
"""The kernels' own counters while a metric was measured, per operation and in all, with the levels afterwards.

The counters are events of memory management. With several CPUs they include interrupts between them, TLB flushes, and
which tasks ran where.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TypeVar

from kassay.model.finding import Attribution, Counter
from kassay.model.plan import Plan
from kassay.model.records import grouped
from kassay.model.report import Counted, PointCounters
from kassay.model.run import CellEvidence, Measurement

_Number = TypeVar("_Number", int, float)
_WHOLE = "over all rounds and phases"
_AFTER = "right after the measured region"
_LEVELS = re.compile(r"(?!nr_(?:tlb|dirtied|written|vmscan|throttled_written|foll_pin))nr_|(?:pcp|memory)\.")
_LIST = re.compile(r"pcp\.(\d+)\.(\w+)\.(\d+)\.(\w+)")
_IPI = re.compile(r"ipi\.(\w+)\.(cpu\d+)")
_KINDS = {
    "reschedule": "interrupts by which CPUs were told to look for another task",
    "call_function": "interrupts by which CPUs were told to call a function, TLB flushes among them",
    "tlb_shootdown": "calls by which another CPU had this one flush its TLB",
}
_CALLED = {
    "ipi.sent.reschedule": ("arch_smp_send_reschedule", "native_smp_send_reschedule", "smp_send_reschedule"),
    "ipi.sent.call_function_single": ("native_send_call_func_single_ipi", "arch_send_call_function_single_ipi"),
    "ipi.sent.call_function_mask": ("native_send_call_func_ipi", "arch_send_call_function_ipi_mask"),
    "tlb.flushes": ("flush_tlb_mm_range", "arch_tlbbatch_flush", "flush_tlb_kernel_range", "flush_tlb_all"),
    "tlb.flush_targets": ("flush_tlb_func", "do_kernel_range_flush", "do_flush_tlb_all"),
}
"""Counter -> functions of kernels whose calls it is; which of them a kernel has depends on release and architecture."""
_MEANS = {
    "ipi.sent.reschedule": "reschedule interrupts sent",
    "ipi.sent.call_function_single": "function call interrupts sent to one CPU",
    "ipi.sent.call_function_mask": "function call interrupts sent to several CPUs at once",
    "tlb.flushes": "TLB flushes of an address range asked for",
    "tlb.flush_targets": "CPUs that flushed their TLB for it, the asking one among them",
}


def counted(base: CellEvidence, head: CellEvidence, phase: str) -> tuple[Counter, ...]:
    """Counters that changed on either side, by name; the mean of the plain runs, per operation of `phase`.

    Levels such as nr_free_pages are state: they are not added up.
    """
    sides = [_of(evidence, phase) for evidence in (base, head)]
    names = sorted(name for name in sides[0].keys() | sides[1].keys() if any(side.get(name) for side in sides))
    return tuple(
        Counter(name=name, definition=_definition(name), base=_value(sides[0], name), head=_value(sides[1], name))
        for name in names
    )


def called(attribution: Attribution | None) -> tuple[Counter, ...]:
    """Counters made of the calls of functions: interrupts sent, TLB flushes and how many CPUs they reached. None
    without a profile."""
    counters = []
    for name, functions in _CALLED.items() if attribution is not None else ():
        rows = [row for row in attribution.rows if row.function in functions] if attribution is not None else []
        base, head = fsum(row.base_calls or 0.0 for row in rows), fsum(row.head_calls or 0.0 for row in rows)
        if base or head:
            names = ", ".join(dict.fromkeys(row.function for row in rows))
            definition = f"{_MEANS[name]}: calls of {names}, in the rounds that the value stands for"
            counters.append(Counter(name=name, definition=definition, base=base, head=head))
    return tuple(counters)


def at_points(plan: Plan, evidence: Iterable[CellEvidence]) -> tuple[PointCounters, ...]:
    """Counters of every point: the figures of each plain run, events in all, and levels. Counters that are always 0
    are left out."""
    groups = grouped((item.cell.setting_key, item) for item in evidence)
    points = (_at_point(plan, sorted(group, key=lambda item: item.cell.kernel)) for group in groups.values())
    return tuple(point for point in points if point.counters)


def _at_point(plan: Plan, group: Sequence[CellEvidence]) -> PointCounters:
    cell = group[0].cell
    phases = next(workload.phases for workload in plan.workloads if workload.name == cell.workload)
    metric = next(phase.name for phase in phases if phase.primary)
    runs = [[m for m in item.measurements if m.plain and _operations(m, metric)] for item in group]
    events = [[dict(_summed(m.counters)) for m in side] for side in runs]
    levels = [[{n: int(v) for n, v in m.levels if v and _LEVELS.match(n)} for m in side] for side in runs]
    return PointCounters(
        workload=cell.workload, settings=cell.settings, machine=cell.machine, metric=metric,
        kernels=tuple(item.label for item in group),
        operations=tuple(tuple(_operations(m, metric) for m in side) for side in runs),
        counters=(*_counted("events", events), *_counted("level", levels)),
    )  # fmt: skip


def _counted(kind: str, runs: Sequence[Sequence[Mapping[str, int]]]) -> tuple[Counted, ...]:
    names = sorted({name for side in runs for run in side for name, value in run.items() if value})
    describe = _definition if kind == "events" else _level
    return tuple(
        Counted(
            name=name, kind=kind, definition=describe(name),
            runs=tuple(tuple(_value(run, name) for run in side) for side in runs),
        )
        for name in names
    )  # fmt: skip


def _operations(measurement: Measurement, phase: str) -> int:
    """Over all rounds; 0 where the run does not know the phase."""
    return next((p.done(range(len(p.ticks))) for p in measurement.phases if p.phase == phase), 0)


def _level(name: str) -> str:
    if match := _LIST.fullmatch(name):
        return f"{match[4]} of CPU{match[3]}'s page list, node {match[1]}, zone {match[2]}: /proc/zoneinfo, {_AFTER}"
    source, _, key = name.rpartition(".")
    return f"{key} of /proc/{'meminfo (kB)' if source else 'vmstat'}, {_AFTER}"


def _of(evidence: CellEvidence, phase: str) -> Mapping[str, float]:
    """Counters of a side per operation; empty without a plain run that knows the phase."""
    per_operation: dict[str, list[float]] = {}
    for measurement in evidence.measurements:
        operations = _operations(measurement, phase)
        if not measurement.plain or not operations:
            continue
        for name, total in _summed(measurement.counters):
            per_operation.setdefault(name, []).append(total / operations)
    return {name: fsum(values) / len(values) for name, values in per_operation.items()}


def _summed(counters: Iterable[tuple[str, str | None]]) -> Sequence[tuple[str, int]]:
    """Events, with the interrupts of all CPUs added up before those of each."""
    events = [(name, int(value)) for name, value in counters if value is not None and not _LEVELS.match(name)]
    totals: dict[str, int] = {}
    for name, value in events:
        if match := _IPI.fullmatch(name):
            totals[f"ipi.{match[1]}"] = totals.get(f"ipi.{match[1]}", 0) + value
    return [*totals.items(), *events]


def _value(side: Mapping[str, _Number], name: str) -> _Number | None:
    """None for what this kernel has no counter of. A task that did not run has no counter, and counts as 0."""
    return side.get(name, 0 if side and name.startswith("ran.") else None)


def _definition(name: str) -> str:
    parts = name.split(".")
    where = f" by {parts[-1].upper()}" if re.fullmatch(r"cpu\d+", parts[-1]) else ""
    if parts[0] == "ipi":
        return f"{_KINDS[parts[1]]}, received{where or ' by all CPUs'}: /proc/interrupts, {_WHOLE}"
    if parts[0] == "ran":
        named = f"tasks named {'.'.join(parts[1:-1])!r} ran"
        return f"ns that {named}, to the last tick or switch, last seen on {parts[-1].upper()}: schedstat, {_WHOLE}"
    if re.fullmatch(r"cpu\d+", parts[0]) and len(parts) == 2:
        cpu = f"{parts[0].upper()}: /proc/schedstat, {_WHOLE}"
        left = "ns of tasks that left the CPU, from when they were given it, also before the region; "
        return f"{left}{cpu}" if parts[1] == "ran" else f"how often a task was given {cpu}"
    return f"{name} of /proc/vmstat, {_WHOLE}"
