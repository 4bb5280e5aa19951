# SPDX-License-Identifier: GPL-2.0-only
"""Itemised differences of many workloads -> functions that changed, each with all workloads in which that shows.

One change of a kernel shows in many rows of a suite; a reader wants to see it once.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from msgspec import structs

from kassay.analysis.pairing import mostly_cancel
from kassay.model.finding import Attribution, AttributionRow, Finding
from kassay.model.machine import Point
from kassay.model.overview import Cause, CauseRow
from kassay.model.records import grouped

_SHARE = 0.005  # of the whole value: half of the margin of counts
_SAME = 0.05  # instructions a call by which rows may differ and are still called the same
_MOST = 0.8  # of the workloads in which a function must be called as often as the one that it replaced
_ALIKE = 0.02  # by which numbers of calls may differ: a timer tick calls some functions too


class _Key(NamedTuple):
    base: str
    head: str
    function: str
    place: str
    context: str


class _Part(NamedTuple):
    """One function of one finding, with its group."""

    row: AttributionRow
    delta: float
    callees: int
    """Number of other functions of the group."""


def causes(findings: Iterable[Finding], kernels: Collection[str]) -> tuple[Cause, ...]:
    """Causes of the steps between neighbours among `kernels`, from primary comparisons that the gate admitted.

    Causes seen in most workloads come first, then those with the largest share.
    """
    neighbours = set(pairwise(kernels))
    rows_by_key: dict[_Key, list[tuple[CauseRow, int]]] = {}
    for f in findings:
        base, head = f.kernels
        if not f.primary or f.attribution is None or not f.base_value or (base, head) not in neighbours:
            continue
        for part in _parts(f.attribution):
            key = _Key(base, head, part.row.function, part.row.place, part.row.context)
            rows_by_key.setdefault(key, []).append((_row(f, f.base_value, part), part.callees))
    joined = _joined([_cause(key, rows) for key, rows in rows_by_key.items()])
    large = [shown for cause in joined if (shown := _shown(cause)).rows]
    return tuple(sorted(large, key=lambda cause: (-cause.workloads, -fsum(abs(row.share) for row in cause.rows))))


def _joined(all_causes: Sequence[Cause]) -> list[Cause]:
    """A function that replaced another one becomes one cause with it, whose figures are the sums of both."""
    gone = [cause for cause in all_causes if all(row.head_calls <= _ALIKE * row.base_calls for row in cause.rows)]
    new = grouped(
        (_step(cause), cause)
        for cause in all_causes
        if all(row.base_calls <= _ALIKE * row.head_calls for row in cause.rows)
    )
    pairs: dict[int, Cause] = {}
    for old in gone:
        alike = [cause for cause in new.get(_step(old), ()) if id(cause) not in pairs and _takes_over(old, cause)]
        if alike:
            pairs[id(min(alike, key=lambda cause: abs(_total(old) + _total(cause))))] = old
    replaced = {id(old) for old in pairs.values()}
    left = [cause for cause in all_causes if id(cause) not in replaced]
    return [_difference(pairs[id(cause)], cause) if id(cause) in pairs else cause for cause in left]


def _shown(cause: Cause) -> Cause:
    """The cause in the workloads of which it makes enough, largest share first."""
    rows = tuple(
        sorted((row for row in cause.rows if abs(row.share) >= _SHARE), key=lambda row: (-abs(row.share), row.workload))
    )
    return structs.replace(cause, rows=rows, per_call=_per_call(rows))


def _takes_over(old: Cause, new: Cause) -> bool:
    """True if `new` replaces `old` in one step: it is called as often in the same workloads, for about the same
    cost."""
    if not mostly_cancel(_total(old), _total(new)):
        return False
    before, after = ({_at(row): row for row in cause.rows} for cause in (old, new))
    large = {_at(row) for row in (*old.rows, *new.rows) if abs(row.share) >= _SHARE}
    as_often = [where in before and where in after and _equal(before[where].base_calls, after[where].head_calls)
                for where in large]  # fmt: skip
    return sum(as_often) >= _MOST * len(large)


def _step(cause: Cause) -> tuple[str, str, str, str]:
    """Only functions of one step, in one place and context, can stand for each other."""
    return cause.base, cause.head, cause.place, cause.context


def _equal(calls: float, others: float) -> bool:
    return abs(calls - others) <= _ALIKE * max(calls, others)


def _difference(old: Cause, new: Cause) -> Cause:
    before = {_at(row): row for row in old.rows}
    rows = []
    for row in new.rows:
        was = before.pop(_at(row), None)
        both = (row.delta + was.delta, row.share + was.share, was.base_calls) if was else (row.delta, row.share, 0.0)
        rows.append(structs.replace(row, delta=both[0], share=both[1], base_calls=both[2]))
    return structs.replace(new, was=old.function, rows=(*rows, *before.values()))


def _at(row: CauseRow) -> tuple[Point, str]:
    return row.point, row.metric


def _total(cause: Cause) -> float:
    """Sum of the shares. The deltas cannot be added: units of different workloads differ much in size."""
    return fsum(row.share for row in cause.rows)


def _parts(attribution: Attribution) -> Iterator[_Part]:
    """Functions that stand alone, and each group once, by its sum and under its root, which may be in several
    places."""
    members = grouped((row.group, row) for row in attribution.rows if row.group is not None)
    roots = {
        number: [row for row in rows if row.function == attribution.groups[number].root]
        for number, rows in members.items()
    }
    for row in attribution.rows:
        if row.group is None:
            yield _Part(row, row.delta, 0)
        elif (same := roots[row.group]) and row is same[0]:
            group = attribution.groups[row.group]
            calls = (fsum(root.base_calls for root in same), fsum(root.head_calls for root in same))
            root = structs.replace(row, base_calls=calls[0], head_calls=calls[1])
            yield _Part(root, group.delta, len(group.functions) - 1)


def _row(f: Finding, base_value: float, part: _Part) -> CauseRow:
    return CauseRow(
        workload=f.workload, settings=f.settings, machine=f.machine, metric=f.metric, unit=f.unit, delta=part.delta,
        share=part.delta / base_value, base_calls=part.row.base_calls, head_calls=part.row.head_calls,
    )  # fmt: skip


def _cause(key: _Key, parts: list[tuple[CauseRow, int]]) -> Cause:
    rows = tuple(row for row, _ in parts)
    return Cause(**key._asdict(), callees=max(callees for _, callees in parts), per_call=None, rows=rows)


def _per_call(rows: Sequence[CauseRow]) -> float | None:
    """Mean change per call. None unless the function is called as often as before everywhere, and each call changed
    alike."""
    each = [row.delta / row.head_calls for row in rows if row.head_calls and _equal(row.base_calls, row.head_calls)]
    same = bool(rows) and len(each) == len(rows) and max(each) - min(each) < _SAME
    return fsum(each) / len(each) if same else None
