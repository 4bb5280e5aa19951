# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a series with their figures: one table for each metric and setting."""

from collections.abc import Iterable, Mapping

from msgspec import structs

from kassay.model.finding import REFUSED, Finding
from kassay.model.machine import Point
from kassay.model.series import Series, SeriesRow, SeriesTable, SeriesValue

_Pairs = Mapping[tuple[str, str], Finding]


def tabled(series: Series, findings: Iterable[Finding]) -> Series:
    """The series with its tables. findings: of an experiment whose kernels have the names of the measured rows.

    A row that was measured and is refused in every comparison that was asked for is "not-measured".
    """
    groups: dict[tuple[Point, str], dict[tuple[str, str], Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.point, finding.metric), {})[finding.kernels] = finding
    tables = tuple(_table(series, pairs) for pairs in groups.values())
    admitted = {value.row for table in tables for value in table.values if value.value is not None}
    rows = tuple(_settled(row, admitted) for row in series.rows)
    return structs.replace(series, rows=rows, tables=tables)


def compared_with(row: SeriesRow, rows: Iterable[SeriesRow]) -> str:
    """The name of the kernel whose figures a row's are held against; "" for base, and where there is none."""
    by_name = {other.name: other for other in rows}
    against = by_name.get(row.against)
    while against is not None and against.outcome not in ("measured", "not-measured"):
        against = by_name.get(against.same_as or against.against)
    return "" if against is None else against.name


def _settled(row: SeriesRow, admitted: set[str]) -> SeriesRow:
    if row.outcome != "measured" or row.name in admitted:
        return row
    return structs.replace(row, outcome="not-measured", detail=row.detail or "no run of it gave a value")


def _table(series: Series, pairs: _Pairs) -> SeriesTable:
    first = next(iter(pairs.values()))
    measured = [row for row in series.rows if row.outcome == "measured"]
    base = measured[0].name
    values = [_value(row, base, compared_with(row, series.rows), pairs) for row in measured]
    return SeriesTable(
        workload=first.workload, settings=first.settings, machine=first.machine, metric=first.metric,
        primary=first.primary, unit=first.unit, values=tuple(value for value in values if value.value is not None),
    )  # fmt: skip


def _value(row: SeriesRow, base: str, against: str, pairs: _Pairs) -> SeriesValue:
    """The base's own figures come from any comparison that it is a side of."""
    if row.name == base:
        side = next(side for pair in pairs.values() for side in pair.sides if side.kernel == base)
        return SeriesValue(row=row.name, value=side.value, change=None, delta=None, to_base=None, verdict="",
                           evidence="", n=len(side.runs))  # fmt: skip
    pair, whole = pairs[against, row.name], pairs[base, row.name]
    values = pair.base_value, pair.head_value
    return SeriesValue(
        row=row.name, value=pair.head_value, change=pair.change, to_base=whole.change,
        delta=None if None in values or pair.verdict in REFUSED else (values[1] or 0.0) - (values[0] or 0.0),
        verdict=pair.verdict, evidence=pair.evidence, n=pair.n_head, base_verdict=whole.verdict,
        where=pair.attribution.parts if pair.attribution else "",
        changed=pair.changed.state if pair.changed else "", base_changed=whole.changed.state if whole.changed else "",
        elsewhere=pair.changed.elsewhere if pair.changed else (),
    )  # fmt: skip
