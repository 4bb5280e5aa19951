# SPDX-License-Identifier: GPL-2.0-only
"""Series and nominations as rows of text, and as objects for programs."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kassay.model.units import format_bytes, format_change, format_number, format_numbers
from kassay.tools.history.records import KernelPoint, Nomination, PointLine, StoredSeries

SHOW_SCHEMA = "kassay-history-show/1"
POINTS_SCHEMA = "kassay-history-points/1"
Object = dict[str, Any]

COLUMNS = ("kernel", "measured", "value", "n", "spread", "change", "compiler", "session")
NOMINATION_FIELDS = ("series", "id", "workload", "metric", "from", "to", "change", "points_before", "points_after",
                     "why", "outcome", "outcome_utc", "outcome_words", "refusal")  # fmt: skip
NOMINATION_COLUMNS = ("id", "from", "to", "change", "points", "state", "why")
POINT_FIELDS = ("series", "workload", "metric", "unit", "clock", "kernel", "ref", "release", "compiler", "first_utc",
                "last_utc", "value", "n", "spread", "floor", "change", "session")  # fmt: skip


def heading(line: PointLine, apart: Iterable[tuple[str, str]]) -> str:
    """Heading of a line: the metric, the machine, the settings that distinguish its series from the others, and its
    line of development, or its kernel over dates."""
    series = line.series
    machine = series.machine
    where = [machine.clock, machine.arch]
    where += [f"{machine.cpus} CPU{'s' if machine.cpus != 1 else ''}"] if machine.cpus is not None else []
    where += [format_bytes(machine.memory_bytes)] if machine.memory_bytes is not None else []
    named = ", ".join(f"{name} {value or '-'}" for name, value in apart)
    whole = f"{series.workload}.{series.metric} [{series.unit}], {', '.join(where)}"
    whole += f"; not to be mixed with the others: {named}" if named else ""
    of = "kernel" if line.over_dates else "line of development"
    return whole + (f"; {of}: {line.development}" if line.development else "")


def point_rows(line: PointLine) -> list[tuple[str, ...]]:
    """The rows of COLUMNS; session is the directory of a point over dates.

    A compiler is shown where it is not that of the row before: it is part of any difference.
    """
    values = format_numbers([point.value for point in line.points])
    rows: list[tuple[str, ...]] = []
    previous = None
    for point, value in zip(line.points, values, strict=True):
        compiler = point.kernel.compiler or "-"
        rows.append((_name(point), _dates(point), value, "-" if point.n is None else str(point.n),
                     _share(point.spread), format_change(point.change),
                     "" if compiler == previous else compiler.partition(",")[0][:40], point.session))  # fmt: skip
        previous = compiler
    return rows


def nomination_row(nomination: Nomination) -> tuple[str, ...]:
    """The row of NOMINATION_COLUMNS."""
    confirmation = nomination.confirmation
    state = f"refused: {nomination.refusal}" if nomination.refusal else "nominated"
    if confirmation is not None:
        state = f"{confirmation.outcome} {confirmation.when_utc[:10]}: {confirmation.words}"
    return (
        nomination.id,
        _name(nomination.before),
        _name(nomination.after),
        format_change(nomination.change),
        f"{nomination.points[0]} | {nomination.points[1]}",
        state,
        nomination.why,
    )


def nomination_values(nomination: Nomination) -> tuple[object, ...]:
    """The row of NOMINATION_FIELDS, unrounded; None is absent."""
    confirmation = nomination.confirmation
    outcome = (
        (confirmation.outcome, confirmation.when_utc, confirmation.words)
        if confirmation is not None
        else (None, None, None)
    )
    series = nomination.series
    return (series.id, nomination.id, series.workload, series.metric, _name(nomination.before), _name(nomination.after),
            nomination.change, *nomination.points, nomination.why, *outcome, nomination.refusal or None)  # fmt: skip


def show_object(lines: Sequence[PointLine]) -> Object:
    """kassay-history-show/1."""
    return {"schema": SHOW_SCHEMA, "series": [
        {**series_object(line.series), "development": line.development,
         "points": [msgspec.to_builtins(point) for point in line.points]}
        for line in lines
    ]}  # fmt: skip


def points_object(nominations: Sequence[Nomination], short: Sequence[tuple[StoredSeries, str]]) -> Object:
    """kassay-history-points/1. short: series in which nothing can be nominated, and why."""
    nominated = [
        {**msgspec.to_builtins(nomination), "series": series_object(nomination.series)} for nomination in nominations
    ]
    too_short = [{**series_object(series), "why": why} for series, why in short]
    return {"schema": POINTS_SCHEMA, "nominated": nominated, "too_short": too_short}


def series_object(series: StoredSeries) -> Object:
    """A series with its id; settings and conditions as objects."""
    named = {name: {s.name: s.value for s in getattr(series, name)} for name in ("settings", "conditions")}
    return {"id": series.id, **msgspec.to_builtins(series), **named}


def point_values(line: PointLine) -> list[tuple[object, ...]]:
    """The rows of POINT_FIELDS, unrounded; None is absent."""
    series = line.series
    return [
        (series.id, series.workload, series.metric, series.unit, series.machine.clock, p.kernel.name, p.kernel.ref,
         p.kernel.release, p.kernel.compiler, p.first, p.last, p.value, p.n, p.spread, p.floor, p.change, p.session)
        for p in line.points
    ]  # fmt: skip


def field_text(value: object) -> str:
    """One field of a query's answer for people."""
    if value is None:
        return "-"
    return format_number(value) if isinstance(value, float) else str(value)


def _name(point: KernelPoint) -> str:
    return point.kernel.ref or point.kernel.name


def _share(value: float | None) -> str:
    return "-" if value is None else "0 %" if value == 0 else f"{100 * value:.2g} %"


def _dates(point: KernelPoint) -> str:
    first, last = point.first[:10], point.last[:10]
    return first if first == last else f"{first} .. {last}"
