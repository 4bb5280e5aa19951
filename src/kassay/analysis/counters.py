# SPDX-License-Identifier: GPL-2.0-only
"""What the kernels themselves counted while a metric was measured, per operation: events of memory management, and of
several CPUs interrupts between them, TLB flushes, and which tasks ran where."""

import re
from collections.abc import Iterable, Mapping, Sequence

from kassay.model.finding import Attribution, Counter
from kassay.model.run import CellEvidence

_WHOLE = "over all rounds and phases"
_GAUGES = re.compile(r"(?!nr_(?:tlb|dirtied|written|vmscan|throttled_written|foll_pin))nr_|pcp\.")
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

    Gauges such as nr_free_pages are state, and left to the audit.
    """
    sides = [_of(one, phase) for one in (base, head)]
    names = sorted(name for name in sides[0].keys() | sides[1].keys() if any(side.get(name) for side in sides))
    return tuple(
        Counter(name=name, definition=_definition(name), base=_value(sides[0], name), head=_value(sides[1], name))
        for name in names
    )


def called(attribution: Attribution | None) -> tuple[Counter, ...]:
    """What the calls of functions tell: interrupts sent, TLB flushes and how many CPUs they reached. Without a profile
    nothing."""
    made = []
    for name, functions in _CALLED.items() if attribution is not None else ():
        rows = [row for row in attribution.rows if row.function in functions] if attribution is not None else []
        base, head = sum(row.base_calls or 0.0 for row in rows), sum(row.head_calls or 0.0 for row in rows)
        if base or head:
            known = ", ".join(dict.fromkeys(row.function for row in rows))
            definition = f"{_MEANS[name]}: calls of {known}, in the rounds that the value stands for"
            made.append(Counter(name=name, definition=definition, base=base, head=head))
    return tuple(made)


def _of(evidence: CellEvidence, phase: str) -> Mapping[str, float]:
    """Counters of a side per operation; empty without a plain run that knows the phase."""
    found: dict[str, list[float]] = {}
    for measurement in evidence.measurements:
        rounds = next((p for p in measurement.phases if p.phase == phase), None)
        if not measurement.plain or rounds is None:
            continue
        operations = rounds.operations * len(rounds.ticks)
        for name, total in _summed(measurement.counters):
            found.setdefault(name, []).append(total / operations)
    return {name: sum(values) / len(values) for name, values in found.items()}


def _summed(counters: Iterable[tuple[str, str | None]]) -> Sequence[tuple[str, int]]:
    """Events, with the interrupts of all CPUs added up before those of each."""
    events = [(name, int(value)) for name, value in counters if value is not None and not _GAUGES.match(name)]
    totals: dict[str, int] = {}
    for name, value in events:
        if match := _IPI.fullmatch(name):
            totals[f"ipi.{match[1]}"] = totals.get(f"ipi.{match[1]}", 0) + value
    return [*totals.items(), *events]


def _value(side: Mapping[str, float], name: str) -> float | None:
    return side.get(name, 0.0 if side else None)


def _definition(name: str) -> str:
    words = name.split(".")
    where = f" by {words[-1].upper()}" if re.fullmatch(r"cpu\d+", words[-1]) else ""
    if words[0] == "ipi":
        return f"{_KINDS[words[1]]}, received{where or ' by all CPUs'}: /proc/interrupts, {_WHOLE}"
    if words[0] == "ran":
        return (
            f"ns that tasks named {'.'.join(words[1:-1])!r} ran, last seen on {words[-1].upper()}: schedstat, {_WHOLE}"
        )
    if re.fullmatch(r"cpu\d+", words[0]) and len(words) == 2:
        what = "ns that tasks ran on" if words[1] == "ran" else "how often a task was given"
        return f"{what} {words[0].upper()}: /proc/schedstat, {_WHOLE}"
    return f"{name} of /proc/vmstat, {_WHOLE}"
