# SPDX-License-Identifier: GPL-2.0-only
"""Archive -> series with their points in order; series are never mixed; the fields in which they differ are shown."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec

from kassay.errors import BadInput, nearest, nearest_of
from kassay.model.machine import MachineUse
from kassay.model.records import Record, Setting, grouped
from kassay.model.units import format_bytes, is_same_value
from kassay.tools.history.archive import Archive, Row
from kassay.tools.history.development import developments
from kassay.tools.history.records import KernelPoint, PointLine, StoredKernel, StoredSeries

_MOMENT = "%Y-%m-%dT%H:%M:%SZ"
_SHOWN = 40


class SeriesFilter(Record, frozen=True, kw_only=True):
    """Selects series."""

    metric: str | None = None
    """Name of the metric, workload.metric, or a workload, whose primary metric is meant. None: the primary ones, or all
    with every_metric."""
    every_metric: bool = False
    workload: str | None = None
    settings: tuple[Setting, ...] = ()
    clock: str | None = None
    arch: str | None = None
    cpus: int | None = None
    memory_bytes: int | None = None
    machine: str | None = None
    """Words that its conditions contain."""
    dates: bool = False
    """True for a point for each kernel and directory, by date, instead of one for each kernel."""


def lines(archive: Archive, wanted: SeriesFilter) -> tuple[PointLine, ...]:
    """Every series that is wanted, with its points. Raises BadInput that lists what there is when none is."""
    every = dict(all_series(archive))
    chosen = {number: series for number, series in every.items() if _matches(series, wanted)}
    if not chosen:
        raise _none_as_asked(list(every.values()), wanted)
    points = _points(archive, list(chosen), wanted.dates)
    point_lines = [
        line for number, series in chosen.items() for line in _developed(series, points[number], wanted.dates)
    ]
    return tuple(sorted(point_lines, key=lambda line: (line.series.workload, line.series.metric, -len(line.points))))


def _none_as_asked(series: Sequence[StoredSeries], wanted: SeriesFilter) -> BadInput:
    """The error. It names an option whose value no series has, with the known values; otherwise it lists metrics."""
    for name in ("clock", "arch", "cpus", "memory_bytes"):
        asked, values = getattr(wanted, name), [getattr(one.machine, name) for one in series]
        if asked is not None and asked not in values:
            text = format_bytes if name == "memory_bytes" else str
            known = [text(value) for value in values if value is not None]
            return _no_such(f"--{name.removesuffix('_bytes')} {text(asked)}", text(asked), known)
    every = [own for one in series for own in (*one.settings, *one.conditions)]
    for setting in wanted.settings:
        name, asked = setting.name, setting.value
        values = [own.value for own in every if own.name == name]
        if not values:
            return _no_such(f"--set {name}", name, sorted(own.name for own in every))
        if not any(is_same_value(value, asked) for value in values):
            return _no_such(f"--set {name}={asked}", asked, map(_short, values))
    return BadInput("history: no series is as asked", _nearest(series, wanted))


def _no_such(option: str, asked: str, known: Iterable[str]) -> BadInput:
    return BadInput(f"history: no series is as asked, none has {option}", nearest_of(asked, dict.fromkeys(known)))


def _nearest(series: Sequence[StoredSeries], wanted: SeriesFilter) -> str:
    """Names of metrics, those of the nearest workload first."""
    names = sorted({f"{one.workload}.{one.metric}" for one in series})
    asked = (wanted.metric or wanted.workload or "").partition(".")[0]
    workload = nearest(asked, {one.workload for one in series}) if asked else None
    own = [name for name in names if workload and name.startswith(f"{workload}.")]
    shown = [*own, *(name for name in names if name not in own)][:12]
    return f"there are: {', '.join(shown) or 'none at all'}" + (", ..." if len(names) > len(shown) else "")


def _developed(series: StoredSeries, points: Sequence[KernelPoint], dates: bool) -> list[PointLine]:
    """A line of points for each line of development in a series; one without points where the series has none.

    dates: a line for each kernel. Kernels of two directories are no neighbours, whichever were measured first.
    """
    if dates:
        of_kernels = grouped((point.kernel.id, point) for point in _ordered(points)).values()
        found = [(own[0].kernel.ref or own[0].kernel.name, _changes(own)) for own in of_kernels]
    else:
        lines_ = developments(points, release_order)
        found = [(name, _changes(members if name else _ordered(members))) for name, members in lines_]
    return [PointLine(series=series, development=name, points=own) for name, own in found or [("", ())]]


def apart(series: Sequence[StoredSeries]) -> dict[str, tuple[tuple[str, str], ...]]:
    """For each series (by id) the fields in which those of the same metric and clock differ, with its own value."""
    groups = grouped(((s.workload, s.metric, s.machine.clock), s) for s in series)
    return {key: fields for group in groups.values() for key, fields in _apart(group).items()}


def _apart(group: Sequence[StoredSeries]) -> dict[str, tuple[tuple[str, str], ...]]:
    by_id = {series.id: dict(_fields(series)) for series in group}
    names = list(dict.fromkeys(name for fields in by_id.values() for name in fields))
    differing = [name for name in names if len({fields.get(name) for fields in by_id.values()}) > 1]
    return {key: tuple((name, _short(fields.get(name, "-"))) for name in differing) for key, fields in by_id.items()}


def _ordered(points: Sequence[KernelPoint]) -> list[KernelPoint]:
    """Points in the order of releases, or of dates if a release cannot be parsed. Equal points keep their order."""
    keyed = [(release_order(point.kernel.release), point) for point in points]
    if any(key is None for key, _ in keyed):
        keyed.sort(key=lambda pair: (pair[1].first, pair[0] or ()))
    else:
        keyed.sort(key=lambda pair: (pair[0] or (), pair[1].first))
    return [point for _, point in keyed]


def _changes(points: Sequence[KernelPoint]) -> tuple[KernelPoint, ...]:
    """The points, each with its change against the one before it."""
    result: list[KernelPoint] = []
    before: float | None = None
    for point in points:
        change = point.value / before - 1 if before and point.value is not None else None
        result.append(msgspec.structs.replace(point, change=change))
        before = point.value if point.value is not None else before
    return tuple(result)


def _fields(series: StoredSeries) -> list[tuple[str, str]]:
    machine = series.machine
    fields = [("unit", series.unit), ("arch", machine.arch), ("cpus", str(machine.cpus)),
           ("memory", str(machine.memory_bytes)), ("better", series.better)]  # fmt: skip
    return fields + [(setting.name, setting.value) for setting in (*series.settings, *series.conditions)]


def _short(text: str) -> str:
    """The text, or its hash when it is long: nobody reads long lists, and two hashes differ visibly."""
    if re.fullmatch("[0-9a-f]{64}", text):
        return text[:8]
    return text if len(text) <= _SHOWN else f"#{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _matches(series: StoredSeries, wanted: SeriesFilter) -> bool:
    machine = series.machine
    names = (series.metric, f"{series.workload}.{series.metric}")
    is_primary_of = series.primary and wanted.metric == series.workload
    metric = is_primary_of or wanted.metric in names if wanted.metric else series.primary or wanted.every_metric
    pairs = ((wanted.workload, series.workload), (wanted.clock, machine.clock), (wanted.arch, machine.arch),
             (wanted.cpus, machine.cpus), (wanted.memory_bytes, machine.memory_bytes))  # fmt: skip
    equal = all(asked is None or asked == value for asked, value in pairs)
    named = wanted.machine is None or any(wanted.machine in c.value for c in series.conditions)
    return metric and equal and named and all(_has(series, setting) for setting in wanted.settings)


def _has(series: StoredSeries, setting: Setting) -> bool:
    """True if a setting or a condition of the series is this one."""
    values = (own.value for own in (*series.settings, *series.conditions) if own.name == setting.name)
    return any(is_same_value(value, setting.value) for value in values)


def all_series(archive: Archive) -> list[tuple[int, StoredSeries]]:
    """Every series of the archive, with its number there."""
    rows = archive.rows(
        "SELECT series, workload, metric, unit, better, clock, arch, cpus, memory_bytes, settings, conditions,"
        " definition, is_primary FROM t_series ORDER BY series"
    )
    return [(row[0], _series(row)) for row in rows]


def _series(row: Row) -> StoredSeries:
    _, workload, metric, unit, better, clock, arch, cpus, memory, settings, conditions, definition, primary = row
    return StoredSeries(
        workload=workload, metric=metric, unit=unit, better=better, settings=_settings(settings),
        machine=MachineUse(arch=arch, clock=clock, cpus=cpus, memory_bytes=memory),
        conditions=_settings(conditions), definition=definition, primary=primary,
    )  # fmt: skip


def _settings(values: dict[str, str]) -> tuple[Setting, ...]:
    return tuple(Setting(name=name, value=value) for name, value in values.items())


def stored_kernels(archive: Archive) -> dict[int, StoredKernel]:
    """Every kernel by its number, in the order in which they were added."""
    names = StoredKernel.__struct_fields__
    rows = archive.rows(f"SELECT kernel, {', '.join(names)} FROM t_kernels ORDER BY kernel")
    return {number: StoredKernel(**dict(zip(names, row, strict=True))) for number, *row in rows}


def _points(archive: Archive, numbers: Sequence[int], dates: bool) -> dict[int, list[KernelPoint]]:
    """The points of series, by their numbers, in the order in which their kernels were added."""
    kernels = stored_kernels(archive)
    session, source = ("directory", "sessions JOIN t_experiments USING (experiment)") if dates else ("''", "points")
    rows = archive.rows(
        f"SELECT series, kernel, value, n, coalesce(deviation, spread), lowest, highest, all_runs,"
        f" strftime(first_utc, '{_MOMENT}'), strftime(last_utc, '{_MOMENT}'), {session}, deviation"
        f" FROM {source} WHERE series IN ({', '.join(map(str, numbers))})"
        f" ORDER BY kernel{', experiment' if dates else ''}"
    )
    points: dict[int, list[KernelPoint]] = {number: [] for number in numbers}
    for row in rows:
        points[row[0]].append(_point(row[2:], kernels[row[1]]))
    return points


def _point(row: Row, kernel: StoredKernel) -> KernelPoint:
    value, n, spread, lowest, highest, runs, first, last, session, deviation = row
    alone = deviation is None and (n is None or n < 2)
    floor = (highest - lowest) / value if value and runs > 1 else None
    return KernelPoint(kernel=kernel, value=value, n=n, spread=None if alone else spread, floor=floor,
                       first=first or "", last=last or "", session=session)  # fmt: skip


_RELEASE = re.compile(
    r"(?:v|linux-)?(?P<major>\d{1,4})\.(?P<minor>\d{1,6})(?:\.(?P<patch>\d{1,6}))?(?:[-~]?rc(?P<rc>\d{1,3}))?(?P<rest>.*)"
)
_NEXT = re.compile(r"next-(\d{8})")
_COMMITS = re.compile(r"-(\d{1,7})-g[0-9a-f]{6,40}")
_FINAL = 1 << 20

Order = tuple[int, ...]


@cache
def release_order(release: str | None) -> Order | None:
    """A key that sorts releases as they came: 6.16.12 < 6.17-rc2 < 6.17-rc10 < 6.17 < 6.17.1. None: not a release.

    Of a candidate "6.17.0-rc3" means what "6.17-rc3" does. Commits on top ("-00123-gabcdef") and linux-next's
    date come after the release they are based on.
    """
    match = _RELEASE.match(release or "")
    if match is None:
        return None
    patch, candidate = int(match["patch"] or 0), int(match["rc"]) if match["rc"] else _FINAL
    rest = match["rest"]
    dated, ahead = _NEXT.search(rest), _COMMITS.search(rest)
    tail = (int(dated[1]) if dated else 0, int(ahead[1]) if ahead else 0)
    return int(match["major"]), int(match["minor"]), patch, candidate, *tail
