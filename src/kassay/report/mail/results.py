# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a mail: a kernel a row, or a setting a row; what the functions add up to; counts beside time."""

from collections import Counter
from collections.abc import Sequence

from kassay.clocks import clock_of
from kassay.model.finding import REFUSED
from kassay.model.layout import Table, cells
from kassay.model.report import Report
from kassay.model.texts import listed, machine_text, settings_text
from kassay.model.units import format_number, format_numbers
from kassay.report.itemised import differences, top_table
from kassay.report.mail.headline import headline
from kassay.report.mail.imported import imported
from kassay.report.mail.words import (
    RANKS,
    ascii_text,
    called,
    everyday,
    interval,
    lettered,
    lines_of,
    names,
    percent,
    quantity,
    stopped,
    unit_words,
    wrapped,
)
from kassay.report.series import Group, KernelRow, MetricSeries, groups
from kassay.report.tables import matrices

_FUNCTIONS, _GROUPS = 8, 3
_UNATTRIBUTED = {"unattributed": "in no known function", "total": "together"}


def results(report: Report) -> list[list[str]]:
    """Blocks of lines: the settings at a glance where there are several, then each comparison that has values."""
    if report.sources:
        return imported(report)
    if report.lead is not None and "mail" in report.lead.replaces:
        return [list(block) for block in report.lead.mail]
    several = [_settings(report, table) for table in matrices(report, names(report), brief=True)]
    found = [group for group in groups(report) if _admitted(group)]
    shown = [] if several else found[:_GROUPS]
    left = 0 if several else len(found) - len(shown)
    blocks = several + [block for group in shown for block in _group(report, group, alone=len(found) == 1)]
    if left:
        blocks.append([f"{left} more comparisons are in the full report."])
    return blocks


def _admitted(group: Group) -> bool:
    """Whether any two of its kernels may be compared: figures beside each other invite it."""
    measured = any(row.value is not None for row in group.lead.rows)
    return measured and not all(row.verdict in REFUSED for row in group.lead.rows[1:])


def _settings(report: Report, table: Table) -> list[str]:
    """A setting a row, and what its last columns are where there are three kernels."""
    timed = any(f.primary and f.timing is not None for f in report.findings)
    lines = [*wrapped(f"{table.title}:"), "", *lines_of(table), *(["", *wrapped(RANKS)] if timed else [])]
    if "gap closed" not in table.columns:
        return lines
    first, second, third = names(report).values()
    legend = (
        f"change: {third} against {second}; gap closed: how much of what {second} added to the cost on {first} {third} "
        "takes off again; n: boots of each kernel."
    )
    return [*lines, "", *wrapped(legend)]


def failed(report: Report) -> list[str]:
    """Boots that did not succeed, by kernel and end, with one example; nothing when there were none."""
    failures = report.runs.failures
    if not failures:
        return []
    counts = Counter((called(report, f.kernel), f.outcome) for f in failures)
    failed_boots = listed([f"{n} on {kernel} ({outcome})" for (kernel, outcome), n in sorted(counts.items())])
    example = ascii_text(failures[0].detail)
    return wrapped(f"Attempts that failed: {failed_boots}{f'; the first said: {example}' if example else ''}.")


def _group(report: Report, group: Group, *, alone: bool) -> list[list[str]]:
    lead = group.lead
    better = f", {lead.better} is better" if lead.better in ("lower", "higher") else ""
    where = "" if alone else f" ({settings_text(lead.settings)}; {machine_text(lead.machine)})"
    unit = unit_words(lead.unit) or lead.metric
    title = wrapped(f"In {unit}{better}{where}:" if lead.unit else f"{unit}{better}{where}:")
    moved = any(row.side.perturbed for row in lead.rows)
    note = "Boots: with nothing changed, plus with something moved that should not matter." if moved else ""
    note = RANKS if any(f.timing is not None and f.metric == lead.metric for f in report.findings) else note
    below = ["", *wrapped(note)] if note else []
    blocks = [[*title, "", *lines_of(_kernels(report, lead)), *below]]
    if len(group.series) > 1:
        blocks.append([*wrapped("The parts of it, in the same unit:"), "", *lines_of(_parts(report, group))])
    return blocks


def _kernels(report: Report, lead: MetricSeries) -> Table:
    """A kernel a row. The range of the change has a column where it is more than one figure."""
    timed = [f.timing for f in report.findings if f.timing is not None]
    ranges = [interval(row.interval) for row in lead.rows]
    wide = any(" to " in text for text in ranges)
    level = f"{timed[0].level * 100:.3g}% interval" if timed else "range"
    columns = (
        "kernel",
        _counted(lead),
        "boots",
        "change",
        *([level] if wide else []),
    )
    values = format_numbers([row.value for row in lead.rows])
    rows = []
    for row, value, limits in zip(lead.rows, values, ranges, strict=True):
        change = percent(row.change) if row.verdict else ""
        mark = {"regression": " <-", "improvement": " <-"}.get(row.verdict, "") if len(lead.rows) > 2 else ""
        texts = (called(report, row.kernel), value, _boots(row), f"{change}{mark}" if mark else change)
        rows.append(cells(*texts, *([limits if row.verdict else ""] if wide else [])))
    return Table(title="", columns=columns, rows=tuple(rows), numeric=(1, 2, 4))


def _counted(lead: MetricSeries) -> str:
    """What heads the column of values: "instructions", "time"."""
    return quantity(lead.unit, lead.metric, lead.machine.clock).partition(" per ")[0].rpartition(" ")[2]


def _boots(row: KernelRow) -> str:
    moved = f"+{len(row.side.perturbed)}" if row.side.perturbed else ""
    count = len(row.side.runs) or row.n
    failed = f" ({row.side.failed} failed)" if row.side.failed else ""
    return f"{count or '-'}{moved}{failed}"


def _parts(report: Report, group: Group) -> Table:
    series = [one for one in group.series if one.unit == group.lead.unit]
    columns = [format_numbers([row.value for row in one.rows]) for one in series]
    rows = [
        cells(called(report, row.kernel), *(column[i] for column in columns)) for i, row in enumerate(group.lead.rows)
    ]
    head = ("kernel", *(one.metric for one in series))
    return Table(title="", columns=head, rows=tuple(rows), numeric=tuple(range(1, len(head))))


def functions(report: Report) -> list[str]:
    """Where the headline's difference is: the largest functions, the others, and their sum; nothing when not known."""
    found = headline(report)
    if found is None or report.gaps:  # a gap has a table of its own
        return []
    kernels = [side.kernel for side in found.finding.sides]
    same = [d for d in differences(report) if [d.base, d.head] == kernels]
    if not same:
        return []
    d = next((one for one in same if one.metric == found.finding.metric), same[0])
    table = top_table(d, _FUNCTIONS)
    base, head = (called(report, label) for label in kernels)
    figures = _three_digits if report.sources else str
    rows = tuple(
        cells(_function(row[0].text, report), *(figures(cell.text) for cell in row[1:4])) for row in table.rows
    )
    columns, legend = lettered([base, head])
    small = Table(title="", columns=("function", *columns, "difference"), rows=rows, numeric=(1, 2, 3))
    how = "one boot of each, every executed instruction attributed"
    how = "computed from printed shares, each figure to three digits" if report.sources else how
    title = f"Where the difference between {base} and {head} is ({unit_words(d.unit)}, {how}):"
    return [*wrapped(title), "", *lines_of(small), *legend, *_inlined(d.itemised.groups != ())]


def _three_digits(text: str) -> str:
    """A printed figure, no more exact than the shares that it was computed from."""
    sign, bare = ("+", text[1:]) if text.startswith("+") else ("", text)
    if not bare.strip("-"):
        return text
    value = float(bare.replace(" ", "").replace(",", ""))
    return f"{sign}{format_number(float(f'{value:.3g}'))}"


def _function(text: str, report: Report) -> str:
    """Its name; which context it ran in is not known of what another tool measured."""
    name = text.removesuffix(" (other)") if report.sources else text
    return _UNATTRIBUTED.get(name, name.replace("└ ", "  "))


def _inlined(grouped: bool) -> list[str]:
    if not grouped:
        return []
    text = (
        "An indented function is inlined into the one above it on one of the two kernels, or called by it on one only; "
        "read such a group by its sum."
    )
    return ["", *wrapped(text)]


def beside(report: Report) -> list[str]:
    """Counts and time of the same work, and what it means that they agree or do not."""
    lines: list[str] = []
    primary = {f.metric for f in report.findings if f.primary}
    for one in (row for row in report.beside if row.metric in primary):
        base, head = called(report, one.base), called(report, one.head)
        text = (
            f"{one.metric}: between {base} and {head} the instructions change by {percent(one.counts_change)} "
            f"({one.counts_n[0]} and {one.counts_n[1]} boots), the time by {percent(one.time_change)} "
            f"({interval(one.time_interval)}; "
            f"{one.time_n[0]} and {one.time_n[1]} boots, {clock_of(one.clock).where}). "
            f"{_sentence(everyday(report, one.meaning))}"
        )
        lines += [*([""] if lines else []), *wrapped(text)]
    return ["Instructions and time of the same work:", "", *lines] if lines else []


def _sentence(text: str) -> str:
    return stopped(f"{text[:1].upper()}{text[1:]}")


def seed_rules(report: Report, limit: int = 6) -> list[str]:
    """The same boots by fixed thresholds."""
    found: Sequence[str] = [
        f"{row.metric}, {settings_text(row.settings)}, {machine_text(row.machine)}: {percent(row.delta)} of the means, "
        f"{row.classification}, {row.word}"
        for row in report.seed_rules
    ]
    if not found:
        return []
    left = [f"and {len(found) - limit} more"] if len(found) > limit else []
    text = (
        "For comparison, by fixed thresholds (change of the means against 5%, standard deviation and median absolute "
        "deviation against 10%, no failed boot):"
    )
    return [*wrapped(text), "", *(line for one in (*found[:limit], *left) for line in wrapped(one, "  "))]
