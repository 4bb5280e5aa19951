# SPDX-License-Identifier: GPL-2.0-only
"""Three kernels -> what share of the change from old to new the candidate takes back, in all and by function."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import median

from kassay.analysis.pairing import mostly_cancel
from kassay.analysis.statistics.share import GapShare, of_counts, of_times
from kassay.model.finding import (
    CHANGES,
    REFUSED,
    Attribution,
    AttributionGroup,
    AttributionRow,
    Finding,
    Gap,
    GapFunction,
    Side,
)
from kassay.model.reason import Reason, reason
from kassay.model.records import grouped
from kassay.model.timing import Timing

_Key = tuple[str, str, str]


def gaps(findings: Iterable[Finding], kernels: Sequence[str]) -> tuple[Gap, ...]:
    """One for each metric and setting of an experiment that asks for a gap. kernels: labels of old, new, candidate.

    findings: of these three kernels, itemised where there are profiles; others are left out.
    """
    old, new, candidate = kernels
    groups: dict[object, dict[tuple[str, str], Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.point, finding.metric), {})[finding.kernels] = finding
    return tuple(
        _gap(pairs[old, new], pairs[new, candidate], pairs[old, candidate])
        for pairs in groups.values()
        if {(old, new), (new, candidate), (old, candidate)} <= pairs.keys()
    )


def _gap(lost: Finding, taken: Finding, left: Finding) -> Gap:
    sides = lost.sides[0], lost.sides[1], taken.sides[1]
    reasons = _reasons(lost, taken, left)
    share = GapShare(share=None, interval=None) if reasons else _share(sides, lost.timing)
    functions = _functions(lost.attribution, taken.attribution) if share.share is not None else None
    return Gap(
        workload=lost.workload, settings=lost.settings, machine=lost.machine, metric=lost.metric,
        primary=lost.primary, unit=lost.unit, old=sides[0].kernel, new=sides[1].kernel, candidate=sides[2].kernel,
        old_value=sides[0].value, new_value=sides[1].value, candidate_value=sides[2].value,
        share=share.share, interval=share.interval, method=_method(share, lost.timing),
        n=(len(sides[0].runs), len(sides[1].runs), len(sides[2].runs)),
        evidence=_weaker(lost.evidence, taken.evidence),
        reasons=(*reasons, *([share.reason] if share.reason is not None else [])),
        functions=functions[0] if functions else (), unattributed=functions[1] if functions else None,
    )  # fmt: skip


def _reasons(*pairs: Finding) -> tuple[Reason, ...]:
    """Reasons why no share can be given: a refused comparison, a kernel that differs from itself, or no known change to
    take back."""
    refused = [f for f in pairs if f.verdict in REFUSED or f.evidence == "unstable"]
    if refused:
        return tuple(_of_pair("comparison-refused", f, because=f.reasons[0] if f.reasons else None) for f in refused)
    if any(side.value is None for f in pairs for side in f.sides):
        return (reason("kernel-without-value"),)
    lost = pairs[0]
    if lost.verdict in CHANGES:
        return ()
    return (_of_pair("no-gap" if lost.verdict == "equivalent" else "gap-undecided", lost),)


def _of_pair(code: str, f: Finding, **more: Reason | None) -> Reason:
    return reason(code, base=f.sides[0].kernel, head=f.sides[1].kernel, verdict=f.verdict, **more)


def _share(sides: tuple[Side, Side, Side], timing: Timing | None) -> GapShare:
    if timing is None:
        return of_counts(*((*side.runs, *side.perturbed) for side in sides))
    by_block = [_blocks(side) for side in sides]
    common = sorted(set(by_block[0]) & set(by_block[1]) & set(by_block[2]))
    old, new, candidate = ([values[block] for block in common] for values in by_block)
    return of_times(old, new, candidate, timing.level)


def _blocks(side: Side) -> dict[int, float]:
    """One value per block: the median of its boots."""
    by_block = grouped(zip(side.blocks, side.runs, strict=False))
    return {block: median(values) for block, values in by_block.items()}


def _method(share: GapShare, timing: Timing | None) -> Reason:
    if timing is None:
        return reason("interval-of-corners")
    level = None if share.level is None else share.level * 100
    return reason("interval-of-ranks", blocks=share.blocks, level=level)


def _weaker(first: str, second: str) -> str:
    order = ("exact", "reliable", "robust-only", "partial", "unstable")
    return max(first, second, key=lambda word: order.index(word) if word in order else len(order))


def _functions(
    lost: Attribution | None, taken: Attribution | None
) -> tuple[tuple[GapFunction, ...], tuple[float, float]] | None:
    """Every function that changed in either step, those that exchanged code as one row; and what is in no function."""
    if lost is None or taken is None or not lost.total:
        return None
    first, second = (_deltas(attribution) for attribution in (lost, taken))
    together = _exchanged((lost, taken))
    members = grouped((_root(together, key), key) for key in dict.fromkeys((*first, *second)))
    rows = [
        GapFunction(
            function=_called(keys, first, second), context=root[2], lost=fsum(first.get(key, 0.0) for key in keys),
            regained=_minus(fsum(second.get(key, 0.0) for key in keys)),
            share=_minus(fsum(second.get(key, 0.0) for key in keys)) / lost.total,
        )
        for root, keys in members.items()
    ]  # fmt: skip
    rows = [row for row in rows if row.lost or row.regained]
    rows.sort(key=lambda row: (-max(abs(row.lost), abs(row.regained)), row.function))
    return tuple(rows), (lost.unattributed, _minus(taken.unattributed))


def _minus(value: float) -> float:
    return -value if value else 0.0


def _deltas(attribution: Attribution) -> dict[_Key, float]:
    deltas: dict[_Key, float] = {}
    for row in attribution.rows:
        deltas[_key(row)] = deltas.get(_key(row), 0.0) + row.delta
    return deltas


def _key(row: AttributionRow) -> _Key:
    return row.function, row.place, row.context


def _exchanged(both: Iterable[Attribution]) -> dict[_Key, _Key]:
    """Functions of one group between which a compiler moved code count as one. Without this, -328 of one function and
    +124, +94 and +85 of others would be shares of the gap that only show where the compiler put the code."""
    parent: dict[_Key, _Key] = {}
    for attribution in both:
        for index, group in enumerate(attribution.groups):
            keys = [_key(row) for row in _moved(group, [row for row in attribution.rows if row.group == index])]
            for key in keys[1:]:
                first, other = _root(parent, keys[0]), _root(parent, key)
                if first != other:
                    parent[other] = first
    return parent


def _moved(group: AttributionGroup, rows: Sequence[AttributionRow]) -> tuple[AttributionRow, ...]:
    """The rows that exchanged code: all that changed where the changes of the whole group mostly cancel; else the root
    and its counterpart, if it has one."""
    changed = [row for row in rows if row.delta]
    if _cancel(changed):
        return tuple(changed)
    exchanged = {group.root, group.counterpart} if group.counterpart else set()
    return tuple(row for row in changed if row.function in exchanged)


def _cancel(rows: Sequence[AttributionRow]) -> bool:
    """True if the sum of all rows is less than half of the additions, and less than half of the removals."""
    came, went = fsum(row.delta for row in rows if row.delta > 0), -fsum(row.delta for row in rows if row.delta < 0)
    return mostly_cancel(came, -went)


def _root(parent: Mapping[_Key, _Key], key: _Key) -> _Key:
    while key in parent:
        key = parent[key]
    return key


def _called(keys: Sequence[_Key], *deltas: Mapping[_Key, float]) -> str:
    """Names of the functions, largest change first; of more than two only the first, with how many more."""
    size = {key: max(abs(delta.get(key, 0.0)) for delta in deltas) for key in keys}
    names = list(dict.fromkeys(key[0] for key in sorted(keys, key=lambda key: -size[key])))
    return " with ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more"
