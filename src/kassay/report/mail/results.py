# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a mail: a kernel a row, or a setting a row; what the functions add up to; counts beside time."""

from collections import Counter
from collections.abc import Iterator

from msgspec import structs

from kassay.model.finding import REFUSED
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, listed, machine_text, settings_text, table
from kassay.model.timing import Beside
from kassay.model.units import format_number, format_numbers
from kassay.report.document import Block, Items, Paragraph, Section, rows_of, section
from kassay.report.itemised import differences, top_table
from kassay.report.mail.headline import headline
from kassay.report.mail.imported import imported
from kassay.report.mail.names import called, everyday, names, quantity, unit_words
from kassay.report.mail.text import RANKS, ascii_text, interval, lettered, percent, stopped
from kassay.report.series import KernelRow, MetricGroup, MetricSeries, groups
from kassay.report.tables import matrices
from kassay.supply.clocks import clock_of

_FUNCTIONS, _GROUPS = 8, 3
_INLINED = (
    "An indented function is inlined into the one above it on one of the two kernels, or called by it on one only; "
    "read such a group by its sum."
)
_UNATTRIBUTED = {"unattributed": "in no known function", "total": "together"}


def results(report: Report) -> list[Block]:
    """The settings at a glance where there are several, then each comparison that has values."""
    if report.sources:
        return imported(report)
    if report.lead is not None and "mail" in report.lead.replaces:
        return [rows_of(block) for block in report.lead.mail]
    several: list[Block] = [_settings(report, matrix) for matrix in matrices(report, names(report), brief=True)]
    admitted = [group for group in groups(report) if _admitted(group)]
    shown = [] if several else admitted[:_GROUPS]
    left = 0 if several else len(admitted) - len(shown)
    blocks = [*several, *(block for group in shown for block in _group(report, group, alone=len(admitted) == 1))]
    return [*blocks, Paragraph(text=f"{left} more comparisons are in the full report.")] if left else blocks


def _admitted(group: MetricGroup) -> bool:
    """Whether any two of its kernels may be compared: readers compare figures that stand in one table."""
    measured = any(row.value is not None for row in group.lead.rows)
    return measured and not all(row.verdict in REFUSED for row in group.lead.rows[1:])


def _settings(report: Report, matrix: Table) -> Section:
    """A setting a row, and what its last columns are where there are three kernels."""
    timed = any(f.primary and f.timing is not None for f in report.findings)
    notes = [RANKS] if timed else []
    if "gap closed" in matrix.columns:
        notes.append(_gap_legend(report))
    shown = structs.replace(matrix, title="")
    return Section(title=matrix.title, blocks=(shown, *(Paragraph(text=note) for note in notes)))


def _gap_legend(report: Report) -> str:
    first, second, third = names(report).values()
    return (
        f"change: {third} against {second}; gap closed: how much of what {second} added to the cost on {first} {third} "
        "takes off again; n: boots of each kernel."
    )


def failed(report: Report) -> Iterator[Paragraph]:
    """Boots that did not succeed, by kernel and end, with one example; nothing when there were none."""
    failures = report.runs.failures
    if not failures:
        return
    counts = Counter((called(report, f.kernel), f.outcome) for f in failures)
    failed_boots = listed([f"{n} on {kernel} ({outcome})" for (kernel, outcome), n in sorted(counts.items())])
    example = ascii_text(failures[0].detail)
    first = f"; the first said: {example}" if example else ""
    yield Paragraph(text=f"Attempts that failed: {failed_boots}{first}.")


def _group(report: Report, group: MetricGroup, *, alone: bool) -> Iterator[Section]:
    lead = group.lead
    better = f", {lead.better} is better" if lead.better in ("lower", "higher") else ""
    where = "" if alone else f" ({settings_text(lead.settings)}; {machine_text(lead.machine)})"
    unit = unit_words(lead.unit) or lead.metric
    title = f"In {unit}{better}{where}" if lead.unit else f"{unit}{better}{where}"
    moved = any(row.side.perturbed for row in lead.rows)
    note = "Boots: with nothing changed, plus with something moved that should not matter." if moved else ""
    note = RANKS if any(f.timing is not None and f.metric == lead.metric for f in report.findings) else note
    below = (Paragraph(text=note),) if note else ()
    yield Section(title=title, blocks=(_kernels(report, lead), *below))
    if len(group.series) > 1:
        yield section("The parts of it, in the same unit", tables=(_parts(report, group),))


def _kernels(report: Report, lead: MetricSeries) -> Table:
    """A kernel a row. The range of the change has a column where it is more than one figure."""
    timed = [f.timing for f in report.findings if f.timing is not None]
    ranges = [interval(row.interval) for row in lead.rows]
    wide = any(" to " in text for text in ranges)
    level = f"{timed[0].level * 100:.3g}% interval" if timed else "range"
    # What heads the values: "instructions", "time".
    counted = quantity(lead.unit, lead.metric, lead.machine.clock).partition(" per ")[0].rpartition(" ")[2]
    columns = ("kernel", *figures(counted, "boots"), "change", *(figures(level) if wide else ()))
    values = format_numbers([row.value for row in lead.rows])
    rows = []
    for row, value, limits in zip(lead.rows, values, ranges, strict=True):
        arrow = " <-" if row.step and len(lead.rows) > 2 else ""
        change = f"{percent(row.change) if row.verdict else ''}{arrow}"
        texts = (called(report, row.kernel), value, _boots(row), change)
        rows.append(cells(*texts, *([limits if row.verdict else ""] if wide else [])))
    return table("", columns, rows)


def _boots(row: KernelRow) -> str:
    moved = f"+{len(row.side.perturbed)}" if row.side.perturbed else ""
    failures = f" ({row.side.failed} failed)" if row.side.failed else ""
    return f"{len(row.side.runs) or row.n or '-'}{moved}{failures}"


def _parts(report: Report, group: MetricGroup) -> Table:
    parts = [series for series in group.series if series.unit == group.lead.unit]
    values = [format_numbers([row.value for row in series.rows]) for series in parts]
    kernels = [called(report, row.kernel) for row in group.lead.rows]
    columns = ("kernel", *figures(*(series.metric for series in parts)))
    return table("", columns, (cells(*texts) for texts in zip(kernels, *values, strict=True)))


def functions(report: Report) -> Iterator[Section]:
    """Where the headline's difference is: the largest functions, the others, and their sum; nothing when not known."""
    topic = headline(report)
    if topic is None or (report.lead is not None and not report.lead.mail_functions):
        return
    kernels = [side.kernel for side in topic.finding.sides]
    same = [d for d in differences(report) if [d.base, d.head] == kernels]
    if not same:
        return
    d = next((d for d in same if d.metric == topic.finding.metric), same[0])
    base, head = (called(report, label) for label in kernels)
    digits = _three_digits if report.sources else str
    rows = (
        cells(_function(name.text, report), *(digits(cell.text) for cell in values[:3]))
        for name, *values in top_table(d, _FUNCTIONS, sources=False).rows
    )
    columns, legend = lettered([base, head])
    small = table("", ("function", *figures(*columns, "difference")), rows)
    how = "one boot of each, every executed instruction attributed"
    how = "computed from printed shares, each figure to three digits" if report.sources else how
    title = f"Where the difference between {base} and {head} is ({unit_words(d.unit)}, {how})"
    notes = (legend, _INLINED if d.itemised.groups else "")
    yield Section(title=title, blocks=(small, *(Paragraph(text=note) for note in notes if note)))


def _three_digits(text: str) -> str:
    """A printed figure, no more exact than the shares that it was computed from."""
    sign, bare = ("+", text[1:]) if text.startswith("+") else ("", text)
    if not bare.strip("-"):
        return text
    value = float(bare.replace(" ", "").replace(",", ""))
    return f"{sign}{format_number(float(f'{value:.3g}'))}"


def _function(text: str, report: Report) -> str:
    """Its name; without "(other)" for another tool's profile, which has no contexts."""
    name = text.removesuffix(" (other)") if report.sources else text
    return _UNATTRIBUTED.get(name, name.replace("└ ", "  "))


def counts_and_time(report: Report) -> Iterator[Section]:
    """Counts and time of the same work, and what it means that they agree or do not."""
    primary = {f.metric for f in report.findings if f.primary}
    texts = [_counts_and_time_text(report, row) for row in report.beside if row.metric in primary]
    if texts:
        yield section("Instructions and time of the same work", text=texts)


def _counts_and_time_text(report: Report, row: Beside) -> str:
    base, head = called(report, row.base), called(report, row.head)
    meaning = everyday(report, row.meaning)
    return (
        f"{row.metric}: between {base} and {head} the instructions change by {percent(row.counts_change)} "
        f"({row.counts_n[0]} and {row.counts_n[1]} boots), the time by {percent(row.time_change)} "
        f"({interval(row.time_interval)}; {row.time_n[0]} and {row.time_n[1]} boots, {clock_of(row.clock).where}). "
        f"{stopped(f'{meaning[:1].upper()}{meaning[1:]}')}"
    )


def seed_rules(report: Report, limit: int = 6) -> Iterator[Section]:
    """The same boots by fixed thresholds."""
    texts = [
        f"{row.metric}, {settings_text(row.settings)}, {machine_text(row.machine)}: {percent(row.delta)} of the means, "
        f"{row.classification}, {row.word}"
        for row in report.seed_rules
    ]
    if not texts:
        return
    left = [f"and {len(texts) - limit} more"] if len(texts) > limit else []
    title = (
        "For comparison, by fixed thresholds (change of the means against 5%, standard deviation and median absolute "
        "deviation against 10%, no failed boot)"
    )
    yield Section(title=title, blocks=(Items(texts=(*texts[:limit], *left), bare=True),))
