# SPDX-License-Identifier: GPL-2.0-only
"""Many settings at a glance: a setting a row, a kernel a column, and how much of a gap a third kernel closes."""

from collections.abc import Callable, Mapping, Sequence

from kassay.model.experiment import labels
from kassay.model.layout import Cell, Table, cells
from kassay.model.report import Report
from kassay.model.texts import memory_text, one_line
from kassay.model.units import format_change, format_decimals, format_number
from kassay.report.names import spoken_names
from kassay.report.series import Row, Series, groups
from kassay.report.tables import interval_text

_Place = tuple[str | None, str, str, tuple[str, ...]]


def matrices(report: Report, names: Mapping[str, str] | None = None, *, brief: bool = False) -> tuple[Table, ...]:
    """One table for each primary metric that was measured at more than one setting or on more than one machine.

    names: what a kernel's label is called. brief: of three kernels, only the change from the second to the third.
    """
    called = names or dict(zip(labels(report.experiment), spoken_names(report.experiment), strict=True))
    found: dict[_Place, list[Series]] = {}
    for group in groups(report):
        if group.lead.primary:
            one = group.lead
            found.setdefault((one.workload, one.metric, one.unit, tuple(r.kernel for r in one.rows)), []).append(one)
    return tuple(_table(called, several, brief) for several in found.values() if len(several) > 1)


def gap_closed(first: float | None, worst: float | None, last: float | None) -> float | None:
    """How much of what the second kernel added to the first one's cost the third takes off again; 1 is all of it."""
    if first is None or worst is None or last is None or worst <= first:
        return None
    return (worst - last) / (worst - first)


def axes(several: Sequence[Series]) -> dict[str, list[str]]:
    """What takes more than one value among these: its name, and its value at each."""
    texts: dict[str, list[str]] = {
        "CPUs": ["-" if one.machine.cpus is None else str(one.machine.cpus) for one in several],
        "memory": [memory_text(one.machine.memory_bytes) or "-" for one in several],
        "clock": [one.machine.clock for one in several],
    }
    for name in dict.fromkeys(setting.name for one in several for setting in one.settings):
        texts[one_line(name)] = [_setting(one, name) for one in several]
    return {name: values for name, values in texts.items() if len(set(values)) > 1}


def _setting(one: Series, name: str) -> str:
    return next((one_line(setting.value) for setting in one.settings if setting.name == name), "-")


def _table(names: Mapping[str, str], several: Sequence[Series], brief: bool) -> Table:
    lead, points = several[0], axes(several)
    kernels = [one_line(names.get(row.kernel, row.kernel)) for row in lead.rows]
    figures = _figures(several)
    changes = _changes(kernels, lead.better, brief)
    rows = []
    for i, one in enumerate(several):
        start = cells(*(values[i] for values in points.values()), *figures[i], _boots(one.rows))
        rows.append(start + tuple(Cell(text=text(one.rows), mark=_mark(one.rows)) for _, text in changes))
    what = f"{one_line(lead.metric)} [{one_line(lead.unit)}]" if lead.unit else one_line(lead.metric)
    title = f"{one_line(lead.workload)}: {what}" if lead.workload else what
    columns = (*points, *kernels, "n", *(name for name, _ in changes))
    return Table(title=title, columns=columns, rows=tuple(rows), numeric=tuple(range(len(points), len(columns))))


def _figures(several: Sequence[Series]) -> list[list[str]]:
    """All values with as many decimals as the largest broken one has in a report."""
    values = [row.value for one in several for row in one.rows if row.value is not None]
    broken = [value for value in values if value != int(value)]
    decimals = len(format_number(max(broken, key=abs)).partition(".")[2]) if broken else 0
    return [["-" if r.value is None else format_decimals(r.value, decimals) for r in one.rows] for one in several]


def _changes(
    kernels: Sequence[str], better: str | None, brief: bool
) -> list[tuple[str, Callable[[Sequence[Row]], str]]]:
    """The columns after the values: for two kernels the change, for three also the gap, for more the ends."""
    if len(kernels) == 2:
        return [("change", lambda rows: format_change(rows[1].change)), ("interval", _interval), ("verdict", _verdict)]
    ends = (f"{kernels[-1]} vs {kernels[0]}", lambda rows: _ratio(rows[0], rows[-1]))
    if len(kernels) > 3 or better == "higher":
        return [ends]
    last = (f"{kernels[2]} vs {kernels[1]}", lambda rows: _ratio(rows[1], rows[2]))
    first = (f"{kernels[1]} vs {kernels[0]}", lambda rows: _ratio(rows[0], rows[1]))
    gap = ("gap closed", _gap)
    return [("change", last[1]), gap] if brief else [first, last, gap]


def _boots(rows: Sequence[Row]) -> str:
    """ "10", or "10, 9" where kernels differ."""
    texts = [str(row.n) if row.n else "-" for row in rows]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _interval(rows: Sequence[Row]) -> str:
    return interval_text(rows[1].interval)


def _verdict(rows: Sequence[Row]) -> str:
    return rows[1].verdict


def _gap(rows: Sequence[Row]) -> str:
    closed = gap_closed(*(row.value for row in rows))
    return "-" if closed is None else f"{closed * 100:.1f} %"


def _ratio(base: Row, head: Row) -> str:
    return format_change(head.value / base.value - 1 if base.value and head.value is not None else None)


def _mark(rows: Sequence[Row]) -> str:
    return rows[1].verdict if len(rows) == 2 and rows[1].step else ""
