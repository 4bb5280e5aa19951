# SPDX-License-Identifier: GPL-2.0-only
"""The results: what the question shows, each comparison's values with their steps, many settings at a glance."""

from collections.abc import Iterator, Sequence

from msgspec import structs

from kassay.model.finding import REFUSED
from kassay.model.report import NO_LEAD, Report
from kassay.model.texts import Table, cells, figures, machine_text, one_line, settings_text, shortened, table
from kassay.model.units import format_change, format_numbers
from kassay.report import tables
from kassay.report.chart import series_chart
from kassay.report.document import (
    DOUBT,
    LETTER,
    PAGE,
    QUIET,
    SCREEN,
    WRITTEN,
    Bars,
    Items,
    Paragraph,
    Section,
    filled,
    letter,
    section,
)
from kassay.report.mail.answer import refused_text
from kassay.report.mail.headline import headline
from kassay.report.mail.names import mail_name, mail_names, quantity, unit_text
from kassay.report.mail.text import RANKS, interval, percent
from kassay.report.sections.brief import GROUPS, NAME, first_tables, left_text, on_screen, replaced_on_screen
from kassay.report.sections.imported import imported
from kassay.report.series import KernelRow, MetricGroup, MetricSeries, groups
from kassay.report.words import RUNS_COUNTED, count_text, kernel_names

_METRICS = 12  # of one comparison on a screen, at most
_LETTER_GROUPS = 3  # comparisons of a mail, at most
_REFUSED = 6  # refused comparisons of a mail, at most
_CHANGE = "Change: from the kernel above; <- is a step."
_PERTURBED = "Boots: first those with nothing changed, then those with something moved that should not matter."


def lead(report: Report) -> Iterator[Section]:
    """The blocks that the question itself made; on a screen one without a title belongs to the one before it."""
    blocks = report.lead.blocks
    sections: list[Section] = []
    for block in (block for block in blocks if SCREEN in block.readers):
        quiet = (Paragraph(text=text, tone=QUIET) for text in block.text)
        items = (Items(texts=block.items),) if block.items else ()
        before = (
            sections.pop() if sections and not block.title else Section(title=block.title, blocks=(), readers=(SCREEN,))
        )
        sections.append(structs.replace(before, blocks=(*before.blocks, *quiet, *items, *block.tables)))
    yield from sections
    for block in blocks:
        if PAGE in block.readers:
            yield section(block.title, text=block.text, items=block.items, tables=block.tables, readers=(PAGE,))
        if LETTER in block.readers:
            yield letter(block.title, block.tables, block.text, block.items)


def settings(report: Report) -> Iterator[Section]:
    """The settings at a glance, for a page of text; an overview has all of them in one table."""
    shown = () if report.overview is not None else tables.matrices(report)
    yield Section(blocks=shown, readers=(WRITTEN,))


def results(report: Report) -> Iterator[Section]:
    """Every comparison, unless the question shows something in its place."""
    found, replaced = groups(report), report.lead.replaces
    if not replaced_on_screen(report):
        several = len({group.lead.workload for group in found}) > 1
        for group in found[:GROUPS]:
            yield from _brief(report, group, named=several)
        if len(found) > GROUPS:
            more = f"{left_text(len(found) - GROUPS, 'more comparisons')} or html"
            yield from on_screen(Paragraph(text=more, tone=DOUBT))
    if PAGE not in replaced:
        yield from map(_whole, found)
        if not found:
            yield section("Result", text=("No comparison was made, so there is no value to show.",), readers=(PAGE,))
    if LETTER not in replaced:
        yield from _letter(report, found)


def _brief(report: Report, group: MetricGroup, *, named: bool) -> Iterator[Section]:
    """A comparison on a screen. named: whether the workload stands in the heading, there being several."""
    first = group.lead
    direction = {"lower": "lower is better", "higher": "higher is better"}.get(first.better or "", "")
    parts = (one_line(first.workload or "") if named else "", one_line(first.metric), one_line(first.unit), direction)
    across = tuple(tables.across_text(pair) for pair in group.across if pair.primary)
    yield Section(
        title=", ".join(word for word in parts if word),
        subtitle=f"{settings_text(first.settings)}; {machine_text(first.machine)}",
        blocks=(_bars(first), *((Items(texts=across),) if across else ())),
        readers=(SCREEN,),
    )
    if len(group.series) > _METRICS:
        more = f"and {len(group.series) - 1} more metrics: see --format markdown or csv"
        yield from on_screen(Paragraph(text=more, tone=DOUBT))
    elif len(group.series) > 1:
        yield from first_tables(report, [tables.phases_table(group)])


def _bars(series: MetricSeries) -> Bars:
    """A kernel a row: name, value, n, change to the row before, mark."""
    kernels = kernel_names([r.kernel for r in series.rows], NAME)
    values = format_numbers([r.value for r in series.rows])
    rows = (
        cells(
            name, value, count_text(row.side), format_change(row.change) if row.verdict else "",
            _mark(row, ladder=len(series.rows) > 2), mark=row.verdict,
        )
        for row, name, value in zip(series.rows, kernels, values, strict=True)
    )  # fmt: skip
    shown = table("", ("kernel", *figures("value", "n", "change"), ""), rows)
    return Bars(table=shown, values=tuple(row.value for row in series.rows))


def _mark(row: KernelRow, *, ladder: bool) -> str:
    """The verdict on a row, and the change from a kernel that is not the row before."""
    verdict = "" if row.verdict in ("", "equivalent") else f"◄ {row.verdict}"
    if row.since:
        change = f"{format_change(row.since_change)} " if row.since_change != row.change else ""
        return f"{verdict}{', ' if verdict else ''}{change}against {one_line(row.since)}"
    return f"◄ step, {row.verdict}" if row.step and ladder else verdict


def _whole(group: MetricGroup) -> Section:
    """A comparison on a page."""
    first = group.lead
    direction = f", {first.better} is better" if first.better in ("lower", "higher") else ""
    point = f"{settings_text(first.settings)} on {machine_text(first.machine)}"
    text = [f"{one_line(first.metric)}, {one_line(first.unit)}{direction}; {point}; n: {RUNS_COUNTED}."]
    if first.definition:
        text.append(f"{one_line(first.metric)}: {one_line(first.definition).rstrip('.')}.")
    title = one_line(first.workload) if first.workload else one_line(first.metric)
    return section(
        f"Result: {title}", text=text, chart=series_chart(first), tables=tables.group_tables(group), readers=(PAGE,)
    )


def _letter(report: Report, found: Sequence[MetricGroup]) -> Iterator[Section]:
    """In a mail the settings at a glance where there are several, else each comparison that has values."""
    if report.sources:
        yield from imported(report)
    elif several := tables.matrices(report, mail_names(report), brief=True):
        yield from (_settings(report, matrix) for matrix in several)
        yield from _not_compared(report)
    else:
        admitted = [group for group in found if _admitted(group)]
        for group in admitted[:_LETTER_GROUPS]:
            yield from _kernels_and_parts(report, group, admitted)
        if len(admitted) > _LETTER_GROUPS:
            more = f"{len(admitted) - _LETTER_GROUPS} more comparisons are in the full report."
            yield section("", text=(more,), readers=(LETTER,))


def _not_compared(report: Report) -> Iterator[Section]:
    """Reasons of refused comparisons, but for the headline's point: the first paragraph has those."""
    topic = headline(report)
    told = topic.finding.point if topic is not None and report.lead == NO_LEAD else None
    refused = [f for f in report.findings if f.primary and f.verdict in REFUSED and f.point != told]
    texts = [refused_text(report, f) for f in refused]
    more = "{} more refused comparisons are in the full report."
    yield from filled("Not compared", items=shortened(texts, _REFUSED, more), readers=(LETTER,))


def _admitted(group: MetricGroup) -> bool:
    """True if any two of its kernels may be compared: readers compare figures that stand in one table."""
    measured = any(row.value is not None for row in group.lead.rows)
    return measured and not all(row.verdict in REFUSED for row in group.lead.rows[1:])


def _settings(report: Report, matrix: Table) -> Section:
    """A setting a row, and what its last columns are where there are three kernels."""
    timed = any(f.primary and f.timing is not None for f in report.findings)
    notes = (RANKS if timed else "", _gap_legend(report) if "gap closed" in matrix.columns else "")
    return letter(matrix.title, (structs.replace(matrix, title=""),), filter(None, notes))


def _gap_legend(report: Report) -> str:
    first, second, third = mail_names(report).values()
    return (
        f"change: {third} against {second}; gap closed: how much of what {second} added to the cost on {first} {third} "
        "takes off again; n: boots of each kernel."
    )


def _kernels_and_parts(report: Report, group: MetricGroup, admitted: Sequence[MetricGroup]) -> Iterator[Section]:
    """A comparison, named by its workload, settings and machine if others stand beside it."""
    first = group.lead
    better = f", {first.better} is better" if first.better in ("lower", "higher") else ""
    named = f"{first.workload}, " if first.workload and len({each.lead.workload for each in admitted}) > 1 else ""
    where = f" ({named}{settings_text(first.settings)}; {machine_text(first.machine)})" if len(admitted) > 1 else ""
    unit = unit_text(first.unit) or first.metric
    title = f"In {unit}{better}{where}" if first.unit else f"{unit}{better}{where}"
    is_perturbed = any(row.side.perturbed for row in first.rows)
    timed = any(f.timing is not None and f.metric == first.metric for f in report.findings)
    note = RANKS if timed else _PERTURBED if is_perturbed else ""
    change = _CHANGE if len(first.rows) > 2 else ""
    yield letter(title, (_kernels(report, first),), filter(None, (change, note)))
    alike = [series for series in group.series if series.unit == first.unit]
    if len(alike) > 1:
        yield from filled("The parts of it, in the same unit", tables=(_parts(report, alike),), readers=(LETTER,))
    if others := [series for series in group.series if series.unit != first.unit][:_METRICS]:
        yield from filled("The other phases", tables=(_parts(report, others, units=True),), readers=(LETTER,))


def _kernels(report: Report, series: MetricSeries) -> Table:
    """A kernel a row. The range of the change has a column where it is more than one figure."""
    timed = [f.timing for f in report.findings if f.timing is not None]
    ranges = [interval(row.interval) for row in series.rows]
    wide = any(" to " in text for text in ranges)
    level = f"{timed[0].level * 100:.3g}% interval" if timed else "range"
    # What heads the values: "instructions", "time".
    counted = quantity(series.unit, series.metric, series.machine.clock).partition(" per ")[0].rpartition(" ")[2]
    columns = ("kernel", *figures(counted, "boots"), "change", *(figures(level) if wide else ()))
    values = format_numbers([row.value for row in series.rows])
    rows = []
    for row, value, limits in zip(series.rows, values, ranges, strict=True):
        arrow = " <-" if row.step and len(series.rows) > 2 else ""
        change = f"{percent(row.change) if row.verdict else ''}{arrow}{_against(report, row)}"
        texts = (mail_name(report, row.kernel), value, _boots(row), change)
        rows.append(cells(*texts, *([limits if row.verdict else ""] if wide else [])))
    return table("", columns, rows)


def _against(report: Report, row: KernelRow) -> str:
    """ " +1.4% against v6.12" for a row whose step reaches back; " against v6.12" if the row's own change is that."""
    if not row.since:
        return ""
    change = f" {percent(row.since_change)}" if row.since_change != row.change else ""
    return f"{change} against {mail_name(report, row.since)}"


def _boots(row: KernelRow) -> str:
    perturbed = f"+{len(row.side.perturbed)}" if row.side.perturbed else ""
    failures = f" ({row.side.failed} failed)" if row.side.failed else ""
    return f"{len(row.side.runs) or row.n or '-'}{perturbed}{failures}"


def _parts(report: Report, parts: Sequence[MetricSeries], *, units: bool = False) -> Table:
    """A kernel a row, a metric a column. units: whether the head of a column has its unit."""
    values = [format_numbers([row.value for row in series.rows]) for series in parts]
    kernels = [mail_name(report, row.kernel) for row in parts[0].rows]
    heads = (f"{series.metric} [{unit_text(series.unit)}]" if units else series.metric for series in parts)
    columns = ("kernel", *figures(*heads))
    return table("", columns, (cells(*texts) for texts in zip(kernels, *values, strict=True)))
