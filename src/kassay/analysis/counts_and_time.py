# SPDX-License-Identifier: GPL-2.0-only
"""Counts and times of the same comparison, side by side, and what it means when they disagree."""

from collections.abc import Sequence

from kassay.model.finding import REFUSED, Finding
from kassay.model.reason import Reason, reason
from kassay.model.timing import CountsAndTime
from kassay.supply.clocks import clock_of

_LIKE = 2.0
"""Counts and time disagree when the whole interval of time lies beyond this many times the counts, or below one such
part of them."""
_Key = tuple[object, ...]


def side_by_side(counts: Sequence[Finding], times: Sequence[Finding]) -> tuple[CountsAndTime, ...]:
    """One row for each comparison and metric that was both counted and timed, in the order of the counts."""
    elsewhere = all(f.machine.memory_bytes is None for f in times)  # timed on a real machine, not in the guest's size
    timed = {_key(f, elsewhere): f for f in times}
    return tuple(_row(f, timed[key]) for f in counts if (key := _key(f, elsewhere)) in timed)


def meaning(counts: Finding, time: Finding) -> Reason:
    """Meaning of the two changes together. It claims no more than either verdict allows."""
    for finding, name in ((counts, "counts"), (time, "time")):
        if finding.verdict in REFUSED or finding.change is None:
            return reason("no-verdict-to-compare", which=name, verdict=finding.verdict)
    comparison, remark = _of_changes(counts, time), clock_of(time.machine.clock).beside_counts
    return reason("clock-remark", because=comparison, text=remark) if remark else comparison


def _of_changes(counts: Finding, time: Finding) -> Reason:
    counted, timed = counts.verdict, time.verdict
    if timed == "inconclusive":
        return reason("time-undecided", because=time.reasons[0] if time.reasons else None)
    if counted == "inconclusive":
        return reason("counts-undecided")
    if (counted, timed) == ("equivalent", "equivalent"):
        return reason("neither-changed")
    if timed == "equivalent" and counted != "equivalent" and _covers(time, counts):
        return reason("counts-within-time")
    if counted == "equivalent":
        return reason("time-alone-changed")
    if timed == "equivalent":
        return reason("counts-alone-changed", more_or_fewer="more" if _size(counts) > 0 else "fewer")
    if counted != timed:
        return reason("opposite-directions")
    least, most = sorted(abs(end) for end in time.interval or (_size(time), _size(time)))
    counted_by = abs(_size(counts))
    if time.interval is not None and _LIKE * least < counted_by and most > _LIKE * counted_by:
        return reason("time-too-wide")
    if least > _LIKE * counted_by:
        return reason("time-changed-more")
    if _LIKE * most < counted_by:
        return reason("counts-changed-more")
    return reason("changed-alike", longer_or_shorter="longer" if _size(counts) > 0 else "shorter")


def _covers(time: Finding, counts: Finding) -> bool:
    low, high = time.interval or (0.0, 0.0)
    return low <= _size(counts) <= high


def _row(counts: Finding, time: Finding) -> CountsAndTime:
    return CountsAndTime(
        workload=counts.workload, settings=counts.settings, cpus=counts.machine.cpus,
        memory_bytes=counts.machine.memory_bytes, metric=counts.metric, base=counts.sides[0].kernel,
        head=counts.sides[1].kernel, counts_change=counts.change, counts_verdict=counts.verdict,
        counts_n=(counts.n_base, counts.n_head), clock=time.machine.clock, time_change=time.change,
        time_interval=time.interval, time_verdict=time.verdict, time_evidence=time.evidence,
        time_n=(time.n_base, time.n_head), meaning=meaning(counts, time),
    )  # fmt: skip


def _size(f: Finding) -> float:
    return f.change or 0.0


def _key(f: Finding, elsewhere: bool) -> _Key:
    settings = tuple((item.name, item.value) for item in f.settings)
    cpus, memory = (None, None) if elsewhere else (f.machine.cpus, f.machine.memory_bytes)
    return f.workload, settings, f.machine.arch, cpus, memory, f.metric, *f.kernels
