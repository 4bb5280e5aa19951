# SPDX-License-Identifier: GPL-2.0-only
"""The answer on one screen: verdict, values with their steps, what it means, what to run next."""

import textwrap
from collections.abc import Iterable, Sequence

from msgspec import structs
from rich.cells import cell_len

from kassay.clocks import clock_of
from kassay.model.finding import EVIDENCE, REFUSED
from kassay.model.reason_texts import reason_text
from kassay.model.report import Lead, Report
from kassay.model.texts import TextBlock, machine_text, one_line, settings_text
from kassay.model.units import format_change, format_numbers
from kassay.report.columns import ScreenLine, aligned, column, pad
from kassay.report.conditions import confounder_sentences, cpu_facts
from kassay.report.counters import contention_tables
from kassay.report.hosts._tables import across_table, hosts_line
from kassay.report.itemised import differences, functions_text_at, top_table
from kassay.report.kernel_share import entries_table, program_groups
from kassay.report.predictions import disagreements, prediction_lines
from kassay.report.printed import printed_tables
from kassay.report.sentences import timing_words
from kassay.report.series import KernelRow, MetricGroup, MetricSeries, groups
from kassay.report.tables import (
    across_text,
    differences_table,
    floor_text,
    phases_table,
    refusals,
    unequal_findings,
)
from kassay.report.words import (
    called,
    compilers,
    count_text,
    cut,
    failure_counts,
    interval_text,
    outcomes_text,
    short_names,
)

WIDTH = 96  # columns; every terminal of 100 shows it whole
_NAME, _FUNCTION, _BAR = 26, 36, 30  # at most
_FAILURES, _DIFFERENCES, _REASONS, _GROUPS, _SENTENCES = 5, 8, 4, 4, 4  # lines shown; what is left out is counted
_METRICS = 12  # of one comparison; more do not fit on a screen
_EIGHTHS = " ▏▎▍▌▋▊▉"
_STYLES = {"regression": "red", "improvement": "green", "equivalent": "", "": ""}


def answer_lines(report: Report) -> list[ScreenLine]:
    """At most 96 columns; more is in the markdown and html formats."""
    groups_ = groups(report)
    lead = report.lead or Lead()
    lines = [*_lines(report.title, "bold"), *(line for t in disagreements(report) for line in _lines(t, "yellow"))]
    lines += [ScreenLine(""), *_lines(report.verdict, "bold")]
    lines += [line for text in confounder_sentences(report) for line in _lines(text, "yellow")]
    lines += prediction_lines(report, WIDTH)
    lines += (_sentences(report) if lead.sentences else []) + [line for block in lead.screen for line in _block(block)]
    if "screen" not in lead.replaces:
        several = len({group.lead.workload for group in groups_}) > 1
        for group in groups_[:_GROUPS]:
            lines += [ScreenLine(""), *_group(group, named=several)]
        lines += _left_out(len(groups_) - _GROUPS, "more comparisons", " or html", indent="")
        lines += (
            _hosts(report)
            + _shares(report)
            + _printed(report)
            + _counts_and_time(report)
            + _itemised(report)
            + _contention(report)
        )
        lines += _seed_rules(report)
    return lines + _refused(report) + [ScreenLine("")] + _facts(report, groups_) + _failures(report)


def _lines(text: str, style: str = "", label: str = "") -> list[ScreenLine]:
    return [ScreenLine(line, style) for line in _wrap(text, label)]


def _headed(title: str, lines: Iterable[ScreenLine]) -> list[ScreenLine]:
    """An empty line, the title, then the lines."""
    return [ScreenLine(""), *_lines(title, "bold cyan"), *lines]


def _left_out(count: int, noun: str = "more", formats: str = "", indent: str = "  ") -> list[ScreenLine]:
    """Says that something is left out, and where it is."""
    return [ScreenLine(f"{indent}and {count} {noun}: see --format markdown{formats}", "yellow")] if count > 0 else []


def _sentences(report: Report) -> list[ScreenLine]:
    """In which functions each primary difference is, or why that is not known; of a ladder only the steps."""
    steps = {(s.from_kernel, s.to_kernel) for ladder in report.ladders if ladder.primary for s in ladder.steps}
    primary = [f for f in report.findings if f.primary and f.verdict not in REFUSED]
    shown = [f for f in primary if not report.ladders or tuple(side.kernel for side in f.sides) in steps]
    texts = dict.fromkeys(functions_text_at(f, report) for f in shown)
    lines = _limited([text for text in texts if text], _SENTENCES, "differences")
    return [ScreenLine(""), *(line for text in lines for line in _lines(text))] if lines else []


def _block(block: TextBlock) -> list[ScreenLine]:
    """A block of the answer that the question itself made."""
    lines = _headed(block.title, ()) if block.title else []
    lines += [line for text in block.text for line in _lines(text, "dim", "  ")]
    lines += [line for text in block.items for line in _lines(text, "", "  ")]
    return lines + [line for table in block.tables for line in aligned(table, WIDTH, _FUNCTION)]


def _itemised(report: Report) -> list[ScreenLine]:
    """The functions behind a difference. A ladder has a table for every pair: too much for one screen."""
    metrics = {f.metric for f in report.findings if f.primary}
    shown = [d for d in differences(report) if d.metric in metrics and not report.ladders]
    tables = [top_table(d) for d in shown[:_GROUPS]]
    return [line for table in tables for line in _headed(table.title, aligned(table, WIDTH, _FUNCTION))]


def _printed(report: Report) -> list[ScreenLine]:
    """What the user's program printed."""
    printed = printed_tables(report)
    lines = [line for table in printed[:_GROUPS] for line in _headed(table.title, aligned(table, WIDTH, _NAME))]
    return lines + _left_out(len(printed) - _GROUPS)


def _shares(report: Report) -> list[ScreenLine]:
    """Of users' programs and of applications: what the kernel executed, and for whom."""
    programs = program_groups(report)
    lines = [line for group in programs[:_GROUPS] for table in (entries_table(group),)
             for line in _headed(table.title, aligned(table, WIDTH, _NAME))]  # fmt: skip
    return lines + _left_out(len(programs) - _GROUPS)


def _hosts(report: Report) -> list[ScreenLine]:
    """Times host by host, and whether the hosts differ."""
    names = called(report)
    lines: list[ScreenLine] = []
    for comparison in report.across_hosts[:_GROUPS]:
        shown = across_table(comparison, names)
        style = "yellow" if comparison.meaning.code == "hosts-differ" else ""
        lines += _headed(shown.title, aligned(shown, WIDTH, _NAME)) + _lines(
            reason_text(comparison.meaning, names), style, "  "
        )
    return lines + _left_out(len(report.across_hosts) - _GROUPS, "more comparisons host by host")


def _contention(report: Report) -> list[ScreenLine]:
    """What several CPUs asked of each other; of a ladder too much for one screen."""
    tables = () if report.ladders else contention_tables(report)[:_GROUPS]
    narrow = [structs.replace(t, columns=t.columns[:3], rows=tuple(row[:3] for row in t.rows)) for t in tables]
    return [line for table in narrow for line in _headed(table.title, aligned(table, WIDTH, _FUNCTION))]


def _counts_and_time(report: Report) -> list[ScreenLine]:
    """Counts and time of the primary metrics, and what they mean together."""
    primary = {f.metric for f in report.findings if f.primary}
    rows = [row for row in report.beside if row.metric in primary]
    lines: list[ScreenLine] = []
    for row in rows[:_GROUPS]:
        pair = f"{row.base} to {row.head}: " if report.ladders else ""
        counted = f"instructions {format_change(row.counts_change)}"
        timed = f"time {format_change(row.time_change)} ({interval_text(row.time_interval)}; {row.time_n[0]} and"
        judged = f"{row.time_n[1]} boots; {row.time_verdict}, {row.time_evidence})"
        lines += _lines(f"{pair}{counted}, {timed} {judged}: {reason_text(row.meaning)}", "", "  ")
    if not rows:
        return []
    heading = ScreenLine(f"counts and time (clock {rows[0].clock}: {clock_of(rows[0].clock).scope})", "bold cyan")
    return [ScreenLine(""), heading, *lines, *_left_out(len(rows) - _GROUPS)]


def _seed_rules(report: Report) -> list[ScreenLine]:
    """What others' rules say of the primary metrics, a comparison a line."""
    primary = {(f.workload, f.metric) for f in report.findings if f.primary}
    rows = [row for row in report.seed_rules if (row.workload, row.metric) in primary]
    texts = [
        f"{row.metric}, {row.sides[0].kernel} to {row.sides[1].kernel}: {row.classification}, {row.word} "
        f"(means {format_change(row.delta)}, medians {format_change(row.delta_median)}); kassay: {row.kassay}"
        for row in rows[:_DIFFERENCES]
    ]
    heading = "by the seeds' rules: means, cv and MAD ratio against 0.10, change against 5 %"
    return _headed(heading, (line for text in texts for line in _lines(text, "", "  "))) if rows else []


def _group(group: MetricGroup, *, named: bool) -> list[ScreenLine]:
    """named: whether the workload stands in the heading, there being several."""
    lead = group.lead
    direction = {"lower": "lower is better", "higher": "higher is better"}.get(lead.better or "", "")
    words = (one_line(lead.workload or "") if named else "", one_line(lead.metric), one_line(lead.unit), direction)
    lines = _lines(", ".join(word for word in words if word), "bold cyan")
    lines += _lines(f"{settings_text(lead.settings)}; {machine_text(lead.machine)}", "dim") + _bars(lead)
    lines += [line for pair in group.across if pair.primary for line in _lines(across_text(pair), "", "  ")]
    if len(group.series) > _METRICS:
        more = f"and {len(group.series) - 1} more metrics: see --format markdown or csv"
        return [*lines, ScreenLine(""), ScreenLine(more, "yellow")]
    if len(group.series) > 1:
        table = phases_table(group)
        lines += [ScreenLine(""), ScreenLine(table.title, "bold cyan"), *aligned(table, WIDTH, _NAME)]
    return lines


def _bars(series: MetricSeries) -> list[ScreenLine]:
    """A kernel a line: name, value, bar, n, change to the line before, mark."""
    names = short_names(("kernel", *(r.kernel for r in series.rows)), _NAME)
    values = ("value", *format_numbers([r.value for r in series.rows]))
    counts = ("n", *(count_text(r.side) for r in series.rows))
    changes = ("change", *(format_change(r.change) if r.verdict else "" for r in series.rows))
    marks = ["", *(_mark(row, ladder=len(series.rows) > 2) for row in series.rows)]
    columns = [column(names), column(values, right=True), column(counts, right=True), column(changes, right=True)]
    space = min(_BAR, WIDTH - 12 - sum(cell_len(c[0]) for c in columns) - max(map(len, marks)))
    top = max((r.value for r in series.rows if r.value is not None), default=0.0)
    bars = ("", *(_bar(r.value, top, space) for r in series.rows))
    styles = ("dim", *(_STYLES.get(r.verdict, "yellow") for r in series.rows))
    return [
        ScreenLine(f"  {name}  {value}  {pad(bar, space)}  {count}  {change}  {mark}", style)
        for name, value, count, change, bar, mark, style in zip(*columns, bars, marks, styles, strict=True)
    ]


def _mark(row: KernelRow, *, ladder: bool) -> str:
    if row.verdict in ("", "equivalent"):
        return ""
    return f"◄ step, {row.verdict}" if row.step and ladder else f"◄ {row.verdict}"


def _bar(value: float | None, top: float, space: int) -> str:
    if value is None or value <= 0 or space <= 0:
        return ""
    eighths = max(1, round(value / top * space * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _refused(report: Report) -> list[ScreenLine]:
    reasons = _limited(refusals(report, primary_only=True), _REASONS, "reasons")
    lines = [line for text in reasons for line in _lines(text, "yellow", "  ")]
    for finding in unequal_findings(report):
        table = differences_table(finding)
        lines += aligned(structs.replace(table, title="", rows=table.rows[:_DIFFERENCES]), WIDTH, _NAME)
        lines += _left_out(len(table.rows) - _DIFFERENCES, "more fields")
    return [ScreenLine(""), *lines] if lines else []


def _facts(report: Report, metric_groups: Sequence[MetricGroup]) -> list[ScreenLine]:
    m = report.machine
    cpus = cpu_facts(report.cpus)
    facts = [("metric", f"{s.metric}: {s.definition}") for s in _defined(metric_groups)]
    if report.overview is not None or len(facts) > _GROUPS:
        facts = [("metric", "each workload's primary one; --format markdown defines them, and has the other metrics")]
    facts += [("evidence", _evidence(report))] if report.findings else []
    facts += [("time", text) for text in timing_words(report)]
    facts += [("state", reason_text(report.state))]
    facts += [("machine", f"{m.arch}, {m.clock} ({m.accelerator}), {m.program}")]
    facts += [("on", m.host)] if report.experiment.on else []
    facts += [("cpu", words if len(cpus) == 1 else f"{', '.join(labels)}: {words}") for labels, words in cpus]
    facts += [("compiler", _compilers(report)), ("scope", report.scope)]
    facts.append(("runs", f"{outcomes_text(report)}; n counts plain + perturbed runs"))
    facts += [("hosts", hosts_line(report.hosts))] if report.hosts else []
    facts += [("next", step) for step in report.next_steps]
    return [line for name, text in facts for line in _lines(one_line(text) or "-", "", f"{name:9} ")]


def _evidence(report: Report) -> str:
    """The weakest word of the primary findings with its meaning, and how the rounds became numbers."""
    primary = [f for f in report.findings if f.primary] or list(report.findings)
    words = sorted({f.evidence for f in primary}, key=list(EVIDENCE).index)
    how = f"; {primary[0].sides[0].method}" if primary[0].sides[0].value is not None else ""
    floors = [f.floor for f in primary if f.floor is not None]
    floor = f"; runs of one kernel differ by {floor_text(max(floors))} at most" if floors else ""
    return f"{words[-1]}: {EVIDENCE[words[-1]]}{how}{floor}"


def _defined(metric_groups: Sequence[MetricGroup]) -> list[MetricSeries]:
    """The leading metrics that have a definition, each once."""
    leads = {(g.lead.workload, g.lead.metric): g.lead for g in reversed(metric_groups) if g.lead.definition}
    return list(reversed(leads.values()))


def _compilers(report: Report) -> str:
    """Compilers without their linkers, on at most two lines; the markdown format has them whole."""
    built = [(compiler.partition(", ")[0], refs) for compiler, refs in compilers(report)]
    if len(built) == 1:
        return f"{built[0][0]}, all kernels"
    texts = [f"{compiler}: {', '.join(short_names(refs, _NAME))}" for compiler, refs in built]
    if len("; ".join(texts)) <= 2 * (WIDTH - 12):
        return "; ".join(texts)
    return f"{len(built)} different ones, from {built[0][0]} to {built[-1][0]}; which is whose: --format markdown"


def _failures(report: Report) -> list[ScreenLine]:
    failures = report.runs.failures
    if not failures:
        return []
    counts = ", ".join(f"{n} {outcome}" for outcome, n in failure_counts(report))
    texts = [f"{f.kernel}: {f.outcome}, {f.detail or '-'} (attempt {f.attempt})" for f in failures[:_FAILURES]]
    lines = [ScreenLine(f"  {cut(one_line(text), WIDTH - 2)}") for text in texts]
    return [ScreenLine(f"failed    {counts}", "yellow"), *lines, *_left_out(len(failures) - _FAILURES)]


def _limited(texts: Sequence[str], limit: int, noun: str) -> list[str]:
    left = len(texts) - limit
    return [*texts[:limit], *([f"and {left} more {noun}: see --format markdown"] if left > 0 else [])]


def _wrap(text: str, label: str = "") -> list[str]:
    """Lines of at most WIDTH columns; `label` stands before the first, the others are indented by as much."""
    indent = " " * len(label)
    return textwrap.wrap(one_line(text), WIDTH, initial_indent=label, subsequent_indent=indent) or [label]
