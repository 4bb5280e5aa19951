# SPDX-License-Identifier: GPL-2.0-only
"""The answer on one screen: verdict, values with their steps, what it means, what to run next."""

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len

from kassay.clocks import clock_of
from kassay.model.finding import EVIDENCE, REFUSED
from kassay.model.layout import Block, Table
from kassay.model.reason_texts import reason_text
from kassay.model.report import Lead, Report
from kassay.model.texts import machine_text, one_line, settings_text
from kassay.model.units import format_change, format_numbers
from kassay.report.appendix import timing_words
from kassay.report.columns import Line, aligned, column, pad
from kassay.report.conditions import confounder_sentences, cpu_facts
from kassay.report.itemised import differences, told, top_table
from kassay.report.series import Group, Row, Series, groups
from kassay.report.tables import (
    across_text,
    differences_table,
    floor_text,
    interval_text,
    phases_table,
    refusals,
    unequal_findings,
)
from kassay.report.words import compilers, count_text, cut, failure_counts, outcomes_text, short_names

WIDTH = 96  # columns; every terminal of 100 shows it whole
_NAME, _FUNCTION, _BAR = 26, 36, 30  # at most
_FAILURES, _DIFFERENCES, _REASONS, _GROUPS, _SENTENCES = 5, 8, 4, 4, 4  # lines shown; what is left out is counted
_METRICS = 12  # of one comparison; more are no screen
_EIGHTHS = " ▏▎▍▌▋▊▉"
_STYLES = {"regression": "red", "improvement": "green", "equivalent": "", "": ""}


def answer_lines(report: Report) -> list[Line]:
    """At most 96 columns; more is in the markdown and html formats."""
    found = groups(report)
    lines = [Line(t, "bold") for t in _wrap(report.title)] + [Line("")]
    lines += [Line(t, "bold") for t in _wrap(report.verdict)]
    lead = report.lead or Lead()
    lines += [Line(t, "yellow") for text in confounder_sentences(report) for t in _wrap(text)]
    lines += (_sentences(report) if lead.sentences else []) + [line for block in lead.screen for line in _block(block)]
    if "screen" in lead.replaces:
        return lines + _refused(report) + [Line("")] + _facts(report, found) + _failures(report)
    several = len({group.lead.workload for group in found}) > 1
    for group in found[:_GROUPS]:
        lines += [Line(""), *_group(group, named=several)]
    if len(found) > _GROUPS:
        lines.append(Line(f"and {len(found) - _GROUPS} more comparisons: see --format markdown or html", "yellow"))
    lines += _beside(report) + _itemised(report) + _seed_rules(report)
    return lines + _refused(report) + [Line("")] + _facts(report, found) + _failures(report)


def _sentences(report: Report) -> list[Line]:
    """In which functions each primary difference is, or why that is not known; of a ladder only the steps."""
    steps = {(s.from_kernel, s.to_kernel) for ladder in report.ladders if ladder.primary for s in ladder.steps}
    primary = [f for f in report.findings if f.primary and f.verdict not in REFUSED]
    shown = [f for f in primary if not report.ladders or tuple(side.kernel for side in f.sides) in steps]
    texts = dict.fromkeys(told(f, report) for f in shown)
    lines = _limited([text for text in texts if text], _SENTENCES, "differences")
    return [Line(""), *(Line(t) for text in lines for t in _wrap(text))] if lines else []


def _block(block: Block) -> list[Line]:
    """What a question says for itself."""
    lines = [Line(""), *(Line(t, "bold cyan") for t in _wrap(block.title))] if block.title else []
    lines += [Line(t, "dim") for text in block.text for t in _wrap(text, "  ")]
    lines += [Line(t) for text in block.items for t in _wrap(text, "  ")]
    return lines + [line for table in block.tables for line in aligned(table, WIDTH, _FUNCTION)]


def _itemised(report: Report) -> list[Line]:
    """The functions behind a difference. A ladder has a table for every pair: too much for one screen."""
    metrics = {f.metric for f in report.findings if f.primary}
    found = [d for d in differences(report) if d.metric in metrics and not report.ladders]
    lines: list[Line] = []
    for d in found[:_GROUPS]:
        table = top_table(d)
        lines += [Line(""), *(Line(t, "bold cyan") for t in _wrap(table.title)), *aligned(table, WIDTH, _FUNCTION)]
    return lines


def _beside(report: Report) -> list[Line]:
    """Counts and time of the primary metrics, and what they mean together."""
    primary = {f.metric for f in report.findings if f.primary}
    rows = [one for one in report.beside if one.metric in primary]
    if not rows:
        return []
    lines = [Line(""), Line(f"counts and time (clock {rows[0].clock}: {clock_of(rows[0].clock).scope})", "bold cyan")]
    for one in rows[:_GROUPS]:
        pair = f"{one.base} to {one.head}: " if report.ladders else ""
        counted = f"instructions {format_change(one.counts_change)}"
        timed = f"time {format_change(one.time_change)} ({interval_text(one.time_interval)}; {one.time_n[0]} and"
        said = f"{one.time_n[1]} boots; {one.time_verdict}, {one.time_evidence})"
        lines += [Line(t) for t in _wrap(f"{pair}{counted}, {timed} {said}: {reason_text(one.meaning)}", "  ")]
    left = len(rows) - _GROUPS
    return lines + ([Line(f"  and {left} more: see --format markdown", "yellow")] if left > 0 else [])


def _seed_rules(report: Report) -> list[Line]:
    """What others' rules say of the primary metrics, a comparison a line."""
    primary = {(f.workload, f.metric) for f in report.findings if f.primary}
    rows = [one for one in report.seed_rules if (one.workload, one.metric) in primary]
    lines = [
        Line(t)
        for one in rows[:_DIFFERENCES]
        for t in _wrap(
            f"{one.metric}, {one.sides[0].kernel} to {one.sides[1].kernel}: {one.classification}, {one.word} "
            f"(means {format_change(one.delta)}, medians {format_change(one.delta_median)}); kassay: {one.kassay}", "  "
        )
    ]  # fmt: skip
    heading = "by the seeds' rules: means, cv and MAD ratio against 0.10, change against 5 %"
    return [Line(""), Line(heading, "bold cyan"), *lines] if rows else []


def _group(group: Group, *, named: bool) -> list[Line]:
    """named: whether the workload must be told, there being several."""
    lead = group.lead
    direction = {"lower": "lower is better", "higher": "higher is better"}.get(lead.better or "", "")
    words = (one_line(lead.workload or "") if named else "", one_line(lead.metric), one_line(lead.unit), direction)
    heading = ", ".join(word for word in words if word)
    lines = [Line(t, "bold cyan") for t in _wrap(heading)]
    lines += [Line(t, "dim") for t in _wrap(f"{settings_text(lead.settings)}; {machine_text(lead.machine)}")]
    lines += _bars(lead)
    for pair in group.across:
        if pair.primary:
            lines += [Line(t) for t in _wrap(across_text(pair), "  ")]
    if len(group.series) > _METRICS:
        more = f"and {len(group.series) - 1} more metrics: see --format markdown or csv"
        lines += [Line(""), Line(more, "yellow")]
    elif len(group.series) > 1:
        table = phases_table(group)
        lines += [Line(""), Line(table.title, "bold cyan"), *aligned(table, WIDTH, _NAME)]
    return lines


def _bars(series: Series) -> list[Line]:
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
        Line(f"  {name}  {value}  {pad(bar, space)}  {count}  {change}  {mark}", style)
        for name, value, count, change, bar, mark, style in zip(*columns, bars, marks, styles, strict=True)
    ]


def _mark(row: Row, *, ladder: bool) -> str:
    if row.verdict in ("", "equivalent"):
        return ""
    return f"◄ step, {row.verdict}" if row.step and ladder else f"◄ {row.verdict}"


def _bar(value: float | None, top: float, space: int) -> str:
    if value is None or value <= 0 or space <= 0:
        return ""
    eighths = max(1, round(value / top * space * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _refused(report: Report) -> list[Line]:
    lines = []
    for reason in _limited(refusals(report, primary_only=True), _REASONS, "reasons"):
        lines += [Line(t, "yellow") for t in _wrap(reason, "  ")]
    for finding in unequal_findings(report):
        table = differences_table(finding)
        left = len(table.rows) - _DIFFERENCES
        lines += aligned(Table(title="", columns=table.columns, rows=table.rows[:_DIFFERENCES]), WIDTH, _NAME)
        lines += [Line(f"  and {left} more fields: see --format markdown", "yellow")] if left > 0 else []
    return [Line(""), *lines] if lines else []


def _facts(report: Report, found: Sequence[Group]) -> list[Line]:
    m = report.machine
    granted = f"{m.arch}, {m.clock} ({m.accelerator}), {m.program}"
    facts = [("metric", f"{s.metric}: {s.definition}") for s in _defined(found)]
    facts += [("evidence", _evidence(report))] if report.findings else []
    facts += [("time", text) for text in timing_words(report)]
    facts += [("state", reason_text(report.state)), ("machine", granted)]
    facts += [("cpu", text) for text in _cpus(report)]
    facts += [("compiler", _compilers(report)), ("scope", report.scope)]
    facts.append(("runs", f"{outcomes_text(report)}; n counts plain + perturbed runs"))
    facts += [("next", step) for step in report.next_steps]
    return [Line(t) for name, text in facts for t in _wrap(one_line(text) or "-", f"{name:9} ")]


def _cpus(report: Report) -> list[str]:
    """The CPU as the kernels saw it, with their names where they saw different ones."""
    facts = cpu_facts(report.cpus)
    return [words if len(facts) == 1 else f"{', '.join(labels)}: {words}" for labels, words in facts]


def _evidence(report: Report) -> str:
    """The weakest word of the primary findings with its meaning, and how the rounds became numbers."""
    primary = [f for f in report.findings if f.primary] or list(report.findings)
    words = sorted({f.evidence for f in primary}, key=list(EVIDENCE).index)
    how = f"; {primary[0].sides[0].method}" if primary[0].sides[0].value is not None else ""
    floors = [f.floor for f in primary if f.floor is not None]
    floor = f"; runs of one kernel differ by {floor_text(max(floors))} at most" if floors else ""
    return f"{words[-1]}: {EVIDENCE[words[-1]]}{how}{floor}"


def _defined(found: Sequence[Group]) -> list[Series]:
    """The leading metrics that have a definition, each once."""
    leads = {(g.lead.workload, g.lead.metric): g.lead for g in reversed(found) if g.lead.definition}
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


def _failures(report: Report) -> list[Line]:
    failures = report.runs.failures
    if not failures:
        return []
    counts = ", ".join(f"{n} {outcome}" for outcome, n in failure_counts(report))
    texts = [f"{f.kernel}: {f.outcome}, {f.detail or '-'} (attempt {f.attempt})" for f in failures[:_FAILURES]]
    lines = [Line(f"failed    {counts}", "yellow")] + [Line(f"  {cut(one_line(t), WIDTH - 2)}") for t in texts]
    left = len(failures) - _FAILURES
    return lines + ([Line(f"  and {left} more: see --format markdown", "yellow")] if left > 0 else [])


def _limited(texts: Sequence[str], limit: int, what: str) -> list[str]:
    left = len(texts) - limit
    return [*texts[:limit], *([f"and {left} more {what}: see --format markdown"] if left > 0 else [])]


def _wrap(text: str, label: str = "") -> list[str]:
    """Lines of at most WIDTH columns; `label` stands before the first, the others are indented by as much."""
    indent = " " * len(label)
    return textwrap.wrap(one_line(text), WIDTH, initial_indent=label, subsequent_indent=indent) or [label]
