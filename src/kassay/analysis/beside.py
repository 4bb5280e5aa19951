# SPDX-License-Identifier: GPL-2.0-only
"""Counts and times of the same comparison, side by side, and what it means when they disagree."""

from collections.abc import Sequence

from kassay.clocks import clock_of
from kassay.model.finding import REFUSED, Finding
from kassay.model.timing import Beside

_LIKE = 2.0
"""Counts and time disagree when the whole interval of time lies beyond this many times the counts, or below one such
part of them."""
_Key = tuple[object, ...]


def side_by_side(counts: Sequence[Finding], times: Sequence[Finding]) -> tuple[Beside, ...]:
    """One row for each comparison and metric that was both counted and timed, in the order of the counts."""
    timed = {_key(f): f for f in times}
    return tuple(_row(f, timed[_key(f)]) for f in counts if _key(f) in timed)


def meaning(counts: Finding, time: Finding) -> str:
    """What the two changes say together; no more than either verdict allows."""
    for one, name in ((counts, "counts"), (time, "time")):
        if one.verdict in REFUSED or one.change is None:
            return f"the {name} have no verdict ({one.verdict}), so there is nothing to hold against the other"
    remark = clock_of(time.machine.clock).beside_counts
    return _of_changes(counts, time) + (f" ({remark})" if remark else "")


def _of_changes(counts: Finding, time: Finding) -> str:
    counted, timed = counts.verdict, time.verdict
    if timed == "inconclusive":
        why = time.reasons[0] if time.reasons else "no reason given"
        return f"the counts decide, the time does not: {why}"
    if counted == "inconclusive":
        return "the time decides, the counts do not: see why under their finding"
    if (counted, timed) == ("equivalent", "equivalent"):
        return "neither changed"
    if timed == "equivalent" and counted != "equivalent" and _covers(time, counts):
        return "no disagreement: what the counts show is small enough to lie within the interval of time"
    if counted == "equivalent":
        return (
            "same instructions, other time: caches, TLB, atomics, locks or the layout of code and data, not more code"
        )
    if timed == "equivalent":
        grew = "more" if _size(counts) > 0 else "fewer"
        return f"{grew} instructions, same time: the processor hides them, or they are not on this path in practice"
    if counted != timed:
        return (
            "opposite directions: what the instructions cost changed more than their number; look at caches and atomics"
        )
    least, most = sorted(abs(end) for end in time.interval or (_size(time), _size(time)))
    counted_by = abs(_size(counts))
    if time.interval is not None and _LIKE * least < counted_by and most > _LIKE * counted_by:
        return "the interval of time is too wide to hold against the counts: more boots would tell"
    if least > _LIKE * counted_by:
        return (
            "time changed far more than the instructions: caches, atomics or locks rather than the length of the path"
        )
    if _LIKE * most < counted_by:
        return "instructions changed far more than time: most of them overlap with waiting, or are cheap ones"
    path = "longer" if _size(counts) > 0 else "shorter"
    return f"instructions and time changed alike, as far as the interval of time tells: the path is {path}"


def _covers(time: Finding, counts: Finding) -> bool:
    low, high = time.interval or (0.0, 0.0)
    return low <= _size(counts) <= high


def _row(counts: Finding, time: Finding) -> Beside:
    return Beside(
        workload=counts.workload, settings=counts.settings, cpus=counts.machine.cpus,
        memory_bytes=counts.machine.memory_bytes, metric=counts.metric, base=counts.sides[0].kernel,
        head=counts.sides[1].kernel, counts_change=counts.change, counts_verdict=counts.verdict,
        counts_n=(counts.n_base, counts.n_head), clock=time.machine.clock, time_change=time.change,
        time_interval=time.interval, time_verdict=time.verdict, time_evidence=time.evidence,
        time_n=(time.n_base, time.n_head), meaning=meaning(counts, time),
    )  # fmt: skip


def _size(f: Finding) -> float:
    return f.change or 0.0


def _key(f: Finding) -> _Key:
    settings = tuple((item.name, item.value) for item in f.settings)
    cpus, memory = f.machine.cpus, f.machine.memory_bytes
    return f.workload, settings, f.machine.arch, cpus, memory, f.metric, f.sides[0].kernel, f.sides[1].kernel
