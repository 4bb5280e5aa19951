# SPDX-License-Identifier: GPL-2.0-only
"""The tables of an answer, without layout: what was measured, how it changed, many settings at a glance."""

from collections.abc import Callable, Mapping, Sequence

from kassay.model.contexts import CONTEXTS
from kassay.model.finding import CHANGES, REFUSED
from kassay.model.records import Setting, grouped
from kassay.model.report import Report
from kassay.model.texts import Table, TableCell, cells, figures, memory_text, one_line, table
from kassay.model.units import format_change, format_decimals, format_number, format_numbers, relative_change
from kassay.report.sections.changed_lines import verdict_word
from kassay.report.series import KernelRow, MetricGroup, MetricSeries, groups
from kassay.report.words import count_text, interval_text, names_by_label, run_length


def step_mark(row: KernelRow) -> str:
    """The mark of a step, with where it reaches back to when small changes added up to it."""
    if not row.step:
        return ""
    back = f" {format_change(row.since_change)} compared with {one_line(row.since)}" if row.since else ""
    return f" ◄ step{back}"


def series_table(series: MetricSeries) -> Table:
    """One metric, a kernel a row, each with its change against the row before."""
    values = format_numbers([r.value for r in series.rows])
    columns = ("kernel", *figures(one_line(series.unit), "n", "change", "interval"), "verdict", "evidence")
    rows = map(_series_row, series.rows, values)
    return table(f"{one_line(series.metric)} [{one_line(series.unit)}]", columns, rows)


def _series_row(row: KernelRow, value: str) -> tuple[TableCell, ...]:
    mark = "" if row.verdict in ("", "equivalent") else row.verdict
    change = f"{format_change(row.change)}{step_mark(row)}" if row.verdict else "-"
    texts = (row.kernel, value, count_text(row.side), change, interval_text(row.interval))
    return cells(*texts, verdict_word(row.verdict, row.changed) or "-", row.evidence or "-", mark=mark)


def across_text(pair: MetricSeries) -> str:
    """ "iteration from a to b: 301.6 to 703.0 instructions/page, +133.1 %, regression (n 2 + 2, 2 + 2)"."""
    base, head = pair.rows
    values = " to ".join(format_numbers([base.value, head.value]))
    counts = f"{count_text(base.side)}, {count_text(head.side)}"
    change = f"{format_change(head.change)}, {verdict_word(head.verdict, head.changed)}"
    text = f"{pair.metric} from {base.kernel} to {head.kernel}: {values} {pair.unit}, {change} (n {counts})"
    return one_line(text)


def across_table(group: MetricGroup) -> Table:
    """Pairs of kernels of a ladder that are not neighbours, a metric a row."""
    shared = _shared_unit(group.across)
    columns = ("metric", "from", "to", *figures("from value", "to value", "n from", "n to", "change"), "verdict")
    title = f"Across the ladder [{shared}]" if shared else "Across the ladder"
    return table(title, columns, (_across_row(pair, shared) for pair in group.across))


def _across_row(pair: MetricSeries, shared: str | None) -> tuple[TableCell, ...]:
    base, head = pair.rows
    metric = pair.metric if shared else f"{pair.metric} [{pair.unit}]"
    figures = (*format_numbers([base.value, head.value]), count_text(base.side), count_text(head.side))
    mark = "" if head.verdict == "equivalent" else head.verdict
    judged = cells(format_change(head.change), verdict_word(head.verdict, head.changed), mark=mark)
    return cells(metric, base.kernel, head.kernel, *figures) + judged


def _shared_unit(series: Sequence[MetricSeries]) -> str | None:
    """The unit of all of them; None when they have more than one."""
    units = {one_line(s.unit) for s in series}
    return units.pop() if len(units) == 1 else None


def phases_table(group: MetricGroup) -> Table:
    """All metrics of a group, a kernel a row; a step is marked in its cell."""
    marked = any(row.step for series in group.series for row in series.rows)
    title = "All phases, ◄: a regression or an improvement" if marked else "All phases"
    return _by_kernel(group, title, [_phase_column(s) for s in group.series], numeric=True)


def _phase_column(series: MetricSeries) -> list[TableCell]:
    values = format_numbers([r.value for r in series.rows])
    return [
        TableCell(text=f"◄ {value}" if row.step else value, mark=row.verdict if row.step else "")
        for row, value in zip(series.rows, values, strict=True)
    ]


def rounds_tables(group: MetricGroup) -> tuple[Table, ...]:
    """Warm-up rounds, when there are any, and all rounds of each kernel's first run."""
    warm = [[TableCell(text=run_length(r.side.warmup)) for r in s.rows] for s in group.series]
    every = [[TableCell(text=run_length(r.side.rounds)) for r in s.rows] for s in group.series]
    first = [_by_kernel(group, "Warm-up rounds, not part of a value", warm)]
    shown = first if any(r.side.warmup for s in group.series for r in s.rows) else []
    return (*shown, _by_kernel(group, "All rounds of the first run", every, folded=True))


def _by_kernel(group: MetricGroup, title: str, columns: list[list[TableCell]], *, numeric: bool = False,
               folded: bool = False) -> Table:  # fmt: skip
    """A kernel a row, a metric a column; the unit stands in the title when all metrics share it."""
    kernels = [TableCell(text=one_line(r.kernel)) for r in group.lead.rows]
    shared = _shared_unit(group.series)
    names = [one_line(s.metric) if shared or not s.unit else one_line(f"{s.metric} [{s.unit}]") for s in group.series]
    head = ("kernel", *(figures(*names) if numeric else names))
    return table(f"{title} [{shared}]" if shared else title, head, zip(kernels, *columns, strict=True), folded=folded)


def runs_table(group: MetricGroup) -> Table:
    """Every run's value, and how a run's rounds became it."""
    rows = []
    for series in group.series:
        for row in series.rows:
            side, metric = row.side, f"{series.metric} [{series.unit}]"
            texts = (run_length(side.runs), run_length(side.perturbed), side.method or "-", str(side.failed))
            rows.append(cells(metric, row.kernel, *texts))
    columns = ("metric", "kernel", "plain runs", "perturbed runs", "a run's value is the", *figures("failed runs"))
    return table("Every run", columns, rows, folded=True)


def contexts_table(group: MetricGroup) -> Table | None:
    """Shares of the measured region by what ran in it, a kernel a row; None without a profile."""
    shares = {row.kernel: dict(row.side.contexts) for row in group.lead.rows}
    names = [name for name in CONTEXTS if any(name in share for share in shares.values())]
    if not names:
        return None
    rows = (
        cells(kernel, *(format_change(share.get(name)).lstrip("+") for name in names))
        for kernel, share in shares.items()
    )
    return table("What ran in the measured region", ("kernel", *figures(*names)), rows)


def matrices(report: Report, names: Mapping[str, str] | None = None, *, brief: bool = False) -> tuple[Table, ...]:
    """One table for each primary metric that was measured at more than one setting or on more than one machine.

    names: what a kernel's label is called. brief: of three kernels, only the change from the second to the third, and
    "-" alone for a refused comparison.
    """
    name_of = names or names_by_label(report)
    primary = ((group.lead, group) for group in groups(report) if group.lead.primary)
    by_metric = grouped(((s.workload, s.metric, s.unit, tuple(r.kernel for r in s.rows)), g) for s, g in primary)
    return tuple(_table(name_of, several, brief) for several in by_metric.values() if len(several) > 1)


def gap_closed(first: float | None, worst: float | None, last: float | None) -> float | None:
    """How much of what the second kernel added to the first one's cost the third takes off again; 1 is all of it."""
    if first is None or worst is None or last is None or worst <= first:
        return None
    return (worst - last) / (worst - first)


def axes(several: Sequence[MetricSeries]) -> dict[str, list[str]]:
    """Settings and properties of the machine that have more than one value in these series: name -> value in each."""
    texts: dict[str, list[str]] = {
        "CPUs": ["-" if series.machine.cpus is None else str(series.machine.cpus) for series in several],
        "memory": [memory_text(series.machine.memory_bytes) or "-" for series in several],
        **_by_name([series.machine.chosen for series in several]),
        "clock": [series.machine.clock for series in several],
        **_by_name([series.settings for series in several]),
    }
    return {name: values for name, values in texts.items() if len(set(values)) > 1}


def _by_name(several: Sequence[Sequence[Setting]]) -> dict[str, list[str]]:
    """Each setting's values; "-" where it is the default."""
    values = [{one_line(setting.name): one_line(setting.value) for setting in settings} for settings in several]
    return {
        name: [each.get(name, "-") for each in values] for name in dict.fromkeys(n for each in values for n in each)
    }


def _table(names: Mapping[str, str], measured: Sequence[MetricGroup], brief: bool) -> Table:
    several = [group.lead for group in measured]
    lead, points = several[0], axes(several)
    kernels = [one_line(names.get(row.kernel, row.kernel)) for row in lead.rows]
    values = _values(several)
    changes = _changes(kernels, lead.better, brief)
    rows = []
    for i, group in enumerate(measured):
        kernel_rows = group.lead.rows
        start = cells(*(axis[i] for axis in points.values()), *values[i], _boots(kernel_rows))
        mark = kernel_rows[1].verdict if len(kernel_rows) == 2 and kernel_rows[1].step else ""
        rows.append(start + tuple(TableCell(text=text(group), mark=mark) for _, text in changes))
    metric = f"{one_line(lead.metric)} [{one_line(lead.unit)}]" if lead.unit else one_line(lead.metric)
    title = f"{one_line(lead.workload)}: {metric}" if lead.workload else metric
    return table(title, (*points, *figures(*kernels, "n", *(name for name, _ in changes))), rows)


def _values(several: Sequence[MetricSeries]) -> list[list[str]]:
    """All values with as many decimals as the largest broken one has in a report."""
    values = [row.value for series in several for row in series.rows if row.value is not None]
    broken = [value for value in values if value != int(value)]
    decimals = len(format_number(max(broken, key=abs)).partition(".")[2]) if broken else 0
    return [["-" if r.value is None else format_decimals(r.value, decimals) for r in series.rows] for series in several]


def _changes(kernels: Sequence[str], better: str | None, brief: bool) -> list[tuple[str, Callable[[MetricGroup], str]]]:
    """The columns after the values: for two kernels the change, for three also the gap, for more the ends."""
    if len(kernels) == 2:
        return [
            ("change", lambda group: format_change(group.lead.rows[1].change)),
            ("interval", lambda group: interval_text(group.lead.rows[1].interval)),
            ("verdict", lambda group: group.lead.rows[1].verdict),
        ]
    ends = (f"{kernels[-1]} vs {kernels[0]}", lambda group: _ends(group, brief))
    if len(kernels) > 3 or better == "higher":
        return [ends]
    last = (f"{kernels[2]} vs {kernels[1]}", lambda group: _step(group.lead.rows[1:], brief))
    first = (f"{kernels[1]} vs {kernels[0]}", lambda group: _step(group.lead.rows, brief))
    gap = ("gap closed", lambda group: _gap(group.lead.rows, brief))
    return [("change", last[1]), gap] if brief else [first, last, gap]


def _boots(rows: Sequence[KernelRow]) -> str:
    """ "10", or "10, 9" where kernels differ."""
    texts = [str(row.n) if row.n else "-" for row in rows]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _gap(rows: Sequence[KernelRow], brief: bool) -> str:
    """The share of the gap that is closed. There is no gap unless the second kernel differs from the first one."""
    closed = gap_closed(*(row.value for row in rows)) if rows[1].verdict in CHANGES else None
    return _judged("-" if closed is None else f"{closed * 100:.1f} %", rows[1:], brief)


def _step(rows: Sequence[KernelRow], brief: bool) -> str:
    """The change from the first of these rows to the second."""
    change = rows[1].change if rows[0].value is not None else None
    return _judged(format_change(change), rows[1:2], brief)


def _ends(group: MetricGroup, brief: bool) -> str:
    """The change from the first kernel to the last: as it was judged, else the ratio of their values."""
    rows = group.lead.rows
    ends = (group.lead.metric, rows[0].kernel, rows[-1].kernel)
    for pair in group.across:
        if (pair.metric, *(row.kernel for row in pair.rows)) == ends:
            return _step(pair.rows, brief)
    passed = [row for row in rows[1:-1] if row.value is not None]
    return _judged(format_change(relative_change(rows[0].value, rows[-1].value)), (*passed, rows[-1]), brief)


def _judged(text: str, rows: Sequence[KernelRow], brief: bool) -> str:
    """The text with the verdict of comparisons that decide nothing; "-" in place of a figure if one was refused."""
    verdicts = [row.verdict for row in rows]
    refused = next((verdict for verdict in verdicts if verdict in REFUSED), "")
    if refused:
        return "-" if brief else f"- {refused}"
    return f"{text} inconclusive" if "inconclusive" in verdicts else text


def group_tables(group: MetricGroup) -> tuple[Table, ...]:
    """Every table of a comparison on a page."""
    across = across_table(group) if group.across else None
    phases = phases_table(group) if len(group.series) > 1 else None
    first = filter(None, (series_table(group.lead), across, phases, contexts_table(group)))
    return (*first, *rounds_tables(group), runs_table(group))
