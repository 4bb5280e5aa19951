# SPDX-License-Identifier: GPL-2.0-only
"""Rows of the matrix, and the comparisons of a history that belong to them."""

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NamedTuple

import msgspec

from kassay.labs.site.model import SiteKernel, SiteSeries
from kassay.model.finding import REFUSED
from kassay.model.machine import STATE
from kassay.model.records import from_json
from kassay.model.units import format_bytes
from kassay.model.workload import Workload
from kassay.supply.clocks import clock_of
from kassay.tools.history.archive import Archive
from kassay.tools.history.linked import linked
from kassay.tools.history.query import all_series
from kassay.tools.history.records import ComparisonDetail, StoredSeries

_GROUP_OF_APPLICATIONS = "applications"


class Comparison(NamedTuple):
    """One stored comparison; the latest of its series and kernels. Series and kernels are numbers of the history."""

    series: int
    base: int
    head: int
    experiment: int
    verdict: str
    evidence: str
    change: float | None
    floor: float | None
    base_value: float | None
    head_value: float | None
    base_n: int
    head_n: int
    detail: ComparisonDetail
    added_utc: str


def comparisons(archive: Archive) -> tuple[Comparison, ...]:
    """Comparisons of exact counts, the latest verdict last."""
    rows = archive.rows(
        "SELECT c.series, base, head, experiment, verdict, evidence, change, floor, base_value, head_value, base_n,"
        " head_n, detail, added_utc, s.clock FROM t_comparisons c JOIN t_series s USING (series)"
        " JOIN t_experiments USING (experiment) ORDER BY c.rowid"
    )
    counts = {clock for *_, clock in rows if clock_of(clock).counts_work}
    newest: dict[tuple[int, int, int], Comparison] = {}
    for *fields, clock in rows:
        if clock in counts:
            stored = Comparison(*fields)
            key = (stored.series, stored.base, stored.head)
            newest.pop(key, None)  # the place of the latest one counts
            newest[key] = stored._replace(detail=from_json(fields[12], ComparisonDetail))
    return tuple(newest.values())


def descriptions(archive: Archive) -> dict[str, Workload]:
    """Workloads in their own words, by name."""
    rows = archive.rows("SELECT name, description FROM t_workloads ORDER BY name")
    return {name: from_json(text, Workload) for name, text in rows}


def rows_of(
    archive: Archive, found: Sequence[Comparison], kernels: Mapping[int, SiteKernel]
) -> dict[int, SiteSeries]:  # fmt: skip
    """Row of each series that has a comparison, by the number of the series. Series that differ in nothing but how they
    were measured (emulator, build of the guest programs, rounds) share a row."""
    workloads = descriptions(archive)
    lines = {comparison.series: kernels[comparison.base].arch for comparison in found if comparison.base in kernels}
    series = {number: one for number, one in all_series(archive) if number in lines}
    usual: dict[str, int | None] = {}
    for _, one in sorted(series.items()):  # the first size of memory has no word in addresses, whatever comes later
        usual.setdefault(one.workload, one.machine.memory_bytes)
    rows = {
        number: _row(one, lines[number], workloads.get(one.workload), usual[one.workload])
        for number, one in series.items()
    }
    return _with_short_settings(rows, series)


def groups_of(found: Sequence[Comparison]) -> Mapping[tuple[int, int], int]:
    """Group of each kernel in a series, by both numbers; see linked(). None without an admitted comparison. Series that
    share a row have no group in common: their values are never compared."""
    return linked(((one.series, one.base), (one.series, one.head)) for one in found if one.verdict not in REFUSED)


def _row(series: StoredSeries, line: str, workload: Workload | None, usual_memory: int | None) -> SiteSeries:
    conditions = {condition.name: condition.value for condition in series.conditions}
    defaults = {parameter.name: parameter.default for parameter in workload.parameters} if workload else {}
    chosen = [s for s in series.settings if defaults.get(s.name) != s.value]
    machine = series.machine
    extra = [f"cpus={machine.cpus}"] if machine.cpus not in (1, None) else []
    extra += [f"{name}={conditions[name]}" for name in _MACHINE if conditions.get(name)]
    memory = format_bytes(machine.memory_bytes) if machine.memory_bytes else ""
    extra += [f"memory={memory}"] if machine.memory_bytes != usual_memory else []
    unusual = {name: conditions[name] for name, (usual, _) in _UNUSUAL.items() if conditions.get(name, usual) != usual}
    extra += [f"{name.replace(' ', '-')}={_NO_ADDRESS.sub('+', text)}" for name, text in unusual.items()]
    key = ",".join([series.workload, *sorted([f"{s.name}={s.value}" for s in chosen] + extra)])
    where = [machine.clock, f"{machine.cpus} CPU{'' if machine.cpus == 1 else 's'}"]
    where += [memory, *(f"{name}: {text}" for name, text in unusual.items())]
    where += [conditions.get("emulator", "").partition(" (")[0]]
    options = [f"--set {s.name}={s.value}" for s in chosen]
    options += [f"--cpus {machine.cpus}"] if machine.cpus not in (1, None) else []
    options += [f"--memory {memory}"] if machine.memory_bytes not in (1 << 30, None) else []
    options += [_UNUSUAL[name][1].format(quote(text)) for name, text in unusual.items()]
    options += [f"--{name.replace('_', '-')} {conditions[name]}" for name in _MACHINE if conditions.get(name)]
    options += [f"--boot {conditions['boot']}"] if conditions.get("boot", "short") != "short" else []
    options += [f"--arch {machine.arch}"] if machine.arch != "x86_64" else []
    return SiteSeries(
        key=key if series.primary else f"{key}.{series.metric}", arch=line, workload=series.workload, settings="",
        metric=series.metric, unit=series.unit, better=series.better, definition=series.definition,
        primary=series.primary, group=workload.group if workload else _GROUP_OF_APPLICATIONS,
        machine=", ".join(filter(None, where)), command=" ".join([series.workload, *options]),
    )  # fmt: skip


_MACHINE = ("cpu", "nodes", *STATE)
"""Conditions of a series that `kassay compare` takes as options."""
_UNUSUAL = {
    "kernel parameters": ("", "--cmdline {}"), "background tasks": ("0", "--background {}"),
    "waits until quiet": ("yes", "--no-quiesce"), "deferred work": ("", "--deferred {}"),
}  # fmt: skip
"""Further conditions that move counts: the usual value, and the option that makes another one."""
_NO_ADDRESS = re.compile(r"[^\w.=-]+")


def _with_short_settings(rows: dict[int, SiteSeries], series: dict[int, StoredSeries]) -> dict[int, SiteSeries]:
    """The rows, each with the settings in which the rows of its workload differ."""
    values: dict[tuple[str, str], set[str]] = {}
    for one in series.values():
        for setting in one.settings:
            values.setdefault((one.workload, setting.name), set()).add(setting.value)
    return {
        number: msgspec.structs.replace(
            row, settings=" ".join(
                f"{s.name}={s.value}" for s in series[number].settings if len(values[row.workload, s.name]) > 1
            ),
        )
        for number, row in rows.items()
    }  # fmt: skip
