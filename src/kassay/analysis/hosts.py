# SPDX-License-Identifier: GPL-2.0-only
"""Findings -> the same comparisons host by host, and whether hosts differ in them by more than boots of one host do.

Counts do not depend on the host; where they are the same to the digit there is nothing to judge. Times do. A change of
5 % on one host and of 55 % on another comes from the hosts or from scattering boots: statistics.between tells which.
"""

from collections.abc import Sequence
from math import exp
from statistics import median
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay.analysis.statistics.between import between
from kassay.analysis.statistics.blocked import Boot, estimate, interval
from kassay.analysis.timed import Session, boots_of
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.host_comparison import HostChange, HostComparison
from kassay.model.reason import Reason, reason

_LEVEL = 0.05


class OfHost(NamedTuple):
    """One host's runs of a comparison."""

    host: str
    base: Side
    head: Side
    threshold: float | None
    """Threshold of a look of its session; None for exact counts."""
    blocks: bool = True


def across(findings: Sequence[Finding]) -> tuple[HostComparison, ...]:
    """Comparison across hosts, for each primary comparison of times whose runs several hosts made."""
    shared = [f for f in findings if f.primary and f.timing is not None and len(_hosts(f)) > 1]
    return tuple(across_parts(f, [of_host(f, host) for host in _hosts(f)], len(shared)) for f in shared)


def of_host(finding: Finding, host: str, name: str | None = None) -> OfHost:
    """The runs that one host made, under its own name or another one."""
    base, head = (_made_by(side, host) for side in finding.sides)
    timing = finding.timing
    return OfHost(
        host if name is None else name, base, head, timing.threshold if timing is not None else None,
        blocks=timing is None or timing.blocks > 1,
    )  # fmt: skip


def across_parts(like: Finding, parts: Sequence[OfHost], comparisons: int) -> HostComparison:
    """One comparison. like: a finding of it. comparisons: that share the level at which hosts are said to differ."""
    thresholds = [part.threshold for part in parts if part.threshold is not None]
    level = min(thresholds) if len(thresholds) == len(parts) else None
    rows = tuple(_row(part, level) for part in parts)
    judged = _judged(parts, rows, like, level, level / comparisons if level else None)
    return HostComparison(
        workload=like.workload, settings=like.settings, machine=like.machine, metric=like.metric, unit=like.unit,
        base=like.sides[0].kernel, head=like.sides[1].kernel, rows=rows, level=1 - level if level else None,
        p=judged.p, threshold=level / comparisons if level else None, common=judged.common, scatter=judged.scatter,
        meaning=judged.meaning,
    )  # fmt: skip


def _hosts(finding: Finding) -> list[str]:
    """In the order in which they gave their first run."""
    return list(dict.fromkeys(host for side in finding.sides for host in side.made_by))


def _made_by(side: Side, host: str) -> Side:
    indices = [index for index, maker in enumerate(side.made_by) if maker == host]
    runs = tuple(side.runs[index] for index in indices)
    blocks = tuple(side.blocks[index] for index in indices) if len(side.blocks) == len(side.runs) else ()
    value = None if not runs else median(runs) if side.blocks else runs[0]
    return structs.replace(side, value=value, runs=runs, blocks=blocks, hosts=UNSET)


def _row(part: OfHost, level: float | None) -> HostChange:
    boots = _boots(part)
    change = limits = None
    if level is None and part.base.value and part.head.value is not None:
        change = part.head.value / part.base.value - 1
    elif boots:
        change = exp(estimate(boots)) - 1
        shifts = interval(boots, level or _LEVEL)
        limits = None if shifts is None else (exp(shifts[0]) - 1, exp(shifts[1]) - 1)
    return HostChange(
        host=part.host, base_value=part.base.value, head_value=part.head.value, n_base=len(part.base.runs),
        n_head=len(part.head.runs), change=change, interval=limits,
    )  # fmt: skip


def _boots(part: OfHost) -> list[Boot]:
    """Boots with their times. Empty if a kernel has none, or if the two kernels share no block."""
    if part.threshold is None or not (part.base.runs and part.head.runs) or min(*part.base.runs, *part.head.runs) <= 0:
        return []
    boots = boots_of(part.base, part.head, Session(looks=(), threshold=part.threshold, blocks=part.blocks))
    together = {boot.block for boot in boots if boot.head} & {boot.block for boot in boots if not boot.head}
    return boots if together else []


class _Judged(NamedTuple):
    meaning: Reason
    p: float | None = None
    common: float | None = None
    scatter: float | None = None


def _judged(parts: Sequence[OfHost], rows: Sequence[HostChange], like: Finding, level: float | None,
            threshold: float | None) -> _Judged:  # fmt: skip
    if like.verdict in REFUSED and like.reasons:
        return _Judged(like.reasons[0])
    if level is None or threshold is None:
        return _Judged(_digits(parts))
    few = next((row for row in rows if row.interval is None), None)
    if few is not None or len(rows) < 2:
        short = few or rows[0]
        return _Judged(reason("hosts-not-told", host=_name(short.host), boots=min(short.n_base, short.n_head)))
    result = between([_boots(part) for part in parts])
    common = exp(result.common) - 1
    scatter = None if result.scatter is None else exp(result.scatter) - 1
    low, high = (pick(rows, key=lambda row: row.change or 0.0) for pick in (min, max))
    if result.p <= threshold:
        meaning = reason(
            "hosts-differ", p=result.p, low=low.change, low_host=_name(low.host), high=high.change,
            high_host=_name(high.host), scatter=scatter,
        )  # fmt: skip
    else:
        ends = [row.interval for row in rows if row.interval is not None]
        apart = max(end[1] - other[0] for i, end in enumerate(ends) for j, other in enumerate(ends) if i != j)
        meaning = reason("hosts-agree", p=result.p, common=common, apart=apart)
    return _Judged(meaning, result.p, common, scatter)


def _digits(parts: Sequence[OfHost]) -> Reason:
    """Statement whether the exact counts of all hosts are equal to the digit."""
    for side in ("base", "head"):
        values = [(part, getattr(part, side)) for part in parts if getattr(part, side).value is not None]
        for part, other in values[1:]:
            first, reference = values[0]
            if other.value != reference.value:
                return reason("hosts-other-digits", reference.kernel, host=_name(first.host), count=reference.value,
                              other=_name(part.host), other_count=other.value)  # fmt: skip
    return reason("hosts-same-digits", hosts=len(parts))


def _name(host: str) -> str:
    return host or "this host"
