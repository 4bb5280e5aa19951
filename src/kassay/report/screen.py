# SPDX-License-Identifier: GPL-2.0-only
"""What one screen shows of a report below its verdict: values with their steps, what they mean, what to run next."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from kassay.model.finding import EVIDENCE, REFUSED
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text
from kassay.model.report import Lead, Report
from kassay.model.texts import Table, TextBlock, cells, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_change, format_numbers
from kassay.report.calls import calls_tables
from kassay.report.changed_lines import further_sentences
from kassay.report.conditions import cpu_facts
from kassay.report.counters import contention_tables
from kassay.report.document import DOUBT, QUIET, Bars, Block, Fact, Facts, Items, Paragraph, Section
from kassay.report.hosts import across_table, hosts_line
from kassay.report.itemised import differences, functions_text_at, top_table
from kassay.report.kernel_share import entries_table, program_groups
from kassay.report.predictions import prediction_blocks
from kassay.report.printed import printed_tables
from kassay.report.sentences import timing_words
from kassay.report.series import KernelRow, MetricGroup, MetricSeries, groups, ladders, step_pairs
from kassay.report.tables import (
    across_text,
    differences_table,
    floor_text,
    one_sided_table,
    parted_text,
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
    kernel_names,
    outcomes_text,
)
from kassay.supply.clocks import clock_of

_LINE = 96  # columns of a failure's line, which is cut
_NAME = 26  # columns of the first column of tables whose names are kernels, hosts or metrics
_FAILURES, _DIFFERENCES, _REASONS, _GROUPS, _SENTENCES = 5, 8, 4, 4, 4  # shown at most; what is left out is counted
_FUNCTION = 36  # the same of tables of functions
_METRICS = 12  # of one comparison; more do not fit on a screen


def screen_blocks(report: Report) -> tuple[Block, ...]:
    """What one screen has below the verdict: values with their steps, what they mean, what to run next."""
    groups_ = groups(report)
    lead = report.lead or Lead()
    blocks = [*prediction_blocks(report)]
    blocks += [Paragraph(text=text, tone=DOUBT) for text in further_sentences(report, report.verdict)[:_SENTENCES]]
    blocks += _sentences(report) if lead.sentences else ()
    blocks += _lead_sections(lead.screen)
    if "screen" not in lead.replaces:
        several = len({group.lead.workload for group in groups_}) > 1
        blocks += [block for group in groups_[:_GROUPS] for block in _group(group, named=several)]
        left = len(groups_) - _GROUPS
        blocks += [_left_paragraph(left, "more comparisons", " or html")] if left > 0 else []
        blocks += [*_hosts(report), *_shares(report), *_calls(report), *_printed(report)]
        blocks += [*_counts_and_time(report), *_itemised(report), *_contention(report), *_seed_rules(report)]
    return (*blocks, *_refused(report), Section(blocks=(_facts(report, groups_), *_failures(report))))


def _left_text(count: int, noun: str = "more", formats: str = "") -> str:
    """How many are left out, and where they are."""
    return f"and {count} {noun}: see --format markdown{formats}"


def _left_paragraph(count: int, noun: str = "more", formats: str = "") -> Paragraph:
    return Paragraph(text=_left_text(count, noun, formats), tone=DOUBT)


def _left_out(count: int, noun: str = "more") -> tuple[Items, ...]:
    return (Items(texts=(_left_text(count, noun),), tone=DOUBT),) if count > 0 else ()


def _sections(tables: Sequence[Table], width: int = _NAME, noun: str = "more") -> list[Section]:
    """A section for each of the first tables; the last one says how many are left out."""
    shown = [Section(title=t.title, blocks=(structs.replace(t, name_width=width),)) for t in tables[:_GROUPS]]
    if len(tables) > _GROUPS:
        shown[-1] = structs.replace(shown[-1], blocks=(*shown[-1].blocks, *_left_out(len(tables) - _GROUPS, noun)))
    return shown


def _sentences(report: Report) -> Iterator[Section]:
    """In which functions each primary difference is, or why that is not known; of a ladder only the steps."""
    steps, in_order = step_pairs(report), ladders(report)
    primary = [f for f in report.findings if f.primary and f.verdict not in REFUSED]
    shown = [f for f in primary if not in_order or tuple(side.kernel for side in f.sides) in steps]
    texts = dict.fromkeys(functions_text_at(f, report) for f in shown)
    limited = _limited([text for text in texts if text], _SENTENCES, "differences")
    if limited:
        yield Section(blocks=tuple(Paragraph(text=text) for text in limited))


def _lead_sections(blocks: Sequence[TextBlock]) -> list[Section]:
    """The blocks of the answer that the question itself made; one without a title belongs to the one before it."""
    sections: list[Section] = []
    for block in blocks:
        quiet = (Paragraph(text=text, tone=QUIET) for text in block.text)
        items = (Items(texts=block.items),) if block.items else ()
        before = sections.pop() if sections and not block.title else Section(title=block.title, blocks=())
        sections.append(structs.replace(before, blocks=(*before.blocks, *quiet, *items, *block.tables)))
    return sections


def _itemised(report: Report) -> list[Section]:
    """The functions behind a difference. A ladder has a table for every pair: too much for one screen."""
    metrics = {f.metric for f in report.findings if f.primary}
    shown = [d for d in differences(report) if d.metric in metrics and not ladders(report)]
    return _sections([top_table(d, sources=False) for d in shown[:_GROUPS]], _FUNCTION)


def _calls(report: Report) -> list[Section]:
    """What one call costs, of a comparison that was refused for its amount of work: it is what can be said instead."""
    refused = [f for f in report.findings if f.verdict == "different-work"]
    return _sections(calls_tables(structs.replace(report, findings=tuple(refused))))


def _printed(report: Report) -> list[Section]:
    """What the user's program printed."""
    return _sections(printed_tables(report))


def _shares(report: Report) -> list[Section]:
    """Of users' programs and of applications: what the kernel executed, and for whom."""
    return _sections([entries_table(group) for group in program_groups(report)])


def _hosts(report: Report) -> list[Section]:
    """Times host by host, and whether the hosts differ."""
    names = called(report)
    compared = report.across_hosts
    sections = _sections([across_table(one, names) for one in compared], _NAME, "more comparisons host by host")
    return [_meant(shown, one.meaning, names) for shown, one in zip(sections, compared, strict=False)]


def _meant(section: Section, meaning: Reason, names: Mapping[str, str]) -> Section:
    """The section with what its table means below the table."""
    tone = DOUBT if meaning.code == "hosts-differ" else ""
    shown, *left = section.blocks
    return structs.replace(section, blocks=(shown, Paragraph(text=reason_text(meaning, names), tone=tone), *left))


def _contention(report: Report) -> list[Section]:
    """What several CPUs asked of each other; of a ladder too much for one screen."""
    tables = () if ladders(report) else contention_tables(report)[:_GROUPS]
    narrow = [structs.replace(t, columns=t.columns[:3], rows=tuple(row[:3] for row in t.rows)) for t in tables]
    return _sections(narrow, _FUNCTION)


def _counts_and_time(report: Report) -> Iterator[Section]:
    """Counts and time of the primary metrics, and what they mean together."""
    primary = {f.metric for f in report.findings if f.primary}
    rows = [row for row in report.beside if row.metric in primary]
    texts = []
    for row in rows[:_GROUPS]:
        pair = f"{row.base} to {row.head}: " if ladders(report) else ""
        counted = f"instructions {format_change(row.counts_change)}"
        timed = f"time {format_change(row.time_change)} ({interval_text(row.time_interval)}; {row.time_n[0]} and"
        judged = f"{row.time_n[1]} boots; {row.time_verdict}, {row.time_evidence})"
        texts.append(f"{pair}{counted}, {timed} {judged}: {reason_text(row.meaning)}")
    if rows:
        title = f"counts and time (clock {rows[0].clock}: {clock_of(rows[0].clock).scope})"
        yield Section(title=title, blocks=(Items(texts=tuple(texts)), *_left_out(len(rows) - _GROUPS)))


def _seed_rules(report: Report) -> Iterator[Section]:
    """What others' rules say of the primary metrics, a comparison a line."""
    primary = {(f.workload, f.metric) for f in report.findings if f.primary}
    rows = [row for row in report.seed_rules if (row.workload, row.metric) in primary]
    texts = tuple(
        f"{row.metric}, {row.sides[0].kernel} to {row.sides[1].kernel}: {row.classification}, {row.word} "
        f"(means {format_change(row.delta)}, medians {format_change(row.delta_median)}); kassay: {row.kassay}"
        for row in rows[:_DIFFERENCES]
    )
    if rows:
        title = "by the seeds' rules: means, cv and MAD ratio against 0.10, change against 5 %"
        yield Section(title=title, blocks=(Items(texts=texts),))


def _group(group: MetricGroup, *, named: bool) -> Iterator[Section]:
    """named: whether the workload stands in the heading, there being several."""
    lead = group.lead
    direction = {"lower": "lower is better", "higher": "higher is better"}.get(lead.better or "", "")
    words = (one_line(lead.workload or "") if named else "", one_line(lead.metric), one_line(lead.unit), direction)
    across = tuple(across_text(pair) for pair in group.across if pair.primary)
    yield Section(
        title=", ".join(word for word in words if word),
        subtitle=f"{settings_text(lead.settings)}; {machine_text(lead.machine)}",
        blocks=(_bars(lead), *((Items(texts=across),) if across else ())),
    )
    if len(group.series) > _METRICS:
        more = f"and {len(group.series) - 1} more metrics: see --format markdown or csv"
        yield Section(blocks=(Paragraph(text=more, tone=DOUBT),))
    elif len(group.series) > 1:
        yield from _sections([phases_table(group)])


def _bars(series: MetricSeries) -> Bars:
    """A kernel a row: name, value, n, change to the row before, mark."""
    names = kernel_names([r.kernel for r in series.rows], _NAME)
    values = format_numbers([r.value for r in series.rows])
    rows = (
        cells(
            name, value, count_text(row.side), format_change(row.change) if row.verdict else "",
            _mark(row, ladder=len(series.rows) > 2), mark=row.verdict,
        )
        for row, name, value in zip(series.rows, names, values, strict=True)
    )  # fmt: skip
    shown = table("", ("kernel", *figures("value", "n", "change"), ""), rows)
    return Bars(table=shown, values=tuple(row.value for row in series.rows))


def _mark(row: KernelRow, *, ladder: bool) -> str:
    if row.verdict in ("", "equivalent"):
        return ""
    return f"◄ step, {row.verdict}" if row.step and ladder else f"◄ {row.verdict}"


def _refused(report: Report) -> Iterator[Section]:
    blocks: list[Block] = []
    reasons = _limited(refusals(report, primary_only=True), _REASONS, "reasons")
    blocks += [Items(texts=tuple(reasons), tone=DOUBT)] if reasons else []
    for finding in unequal_findings(report):
        blocks += _brief(structs.replace(differences_table(finding), title=""), "more fields")
        parted = parted_text(finding)
        blocks += [Items(texts=(parted,))] if parted else []
        ran = one_sided_table(report, finding)
        blocks += _brief(ran, "more functions") if ran is not None else []
    if blocks:
        yield Section(blocks=tuple(blocks))


def _brief(whole: Table, noun: str) -> tuple[Block, ...]:
    """The first rows of a table."""
    shown = structs.replace(whole, rows=whole.rows[:_DIFFERENCES], name_width=_NAME)
    return (shown, *_left_out(len(whole.rows) - _DIFFERENCES, noun))


def _facts(report: Report, metric_groups: Sequence[MetricGroup]) -> Facts:
    m = report.machine
    cpus = cpu_facts(report.cpus)
    facts = [("metric", f"{s.metric}: {s.definition}") for s in _defined(metric_groups)]
    if report.overview is not None or len(facts) > _GROUPS:
        facts = [("metric", "each workload's primary one; --format markdown defines them, and has the other metrics")]
    facts += [("evidence", _evidence(report))] if report.findings else []
    facts += [("time", text) for text in timing_words(report)]
    facts += [("state", reason_text(report.state))]
    facts += [("work", reason_text(report.work))] if report.work is not None else []
    facts += [("machine", f"{m.arch}, {m.clock} ({m.accelerator}), {m.program}")]
    facts += [("on", m.host)] if report.experiment.on else []
    facts += [("cpu", words if len(cpus) == 1 else f"{', '.join(labels)}: {words}") for labels, words in cpus]
    facts += [("compiler", _compilers(report)), ("scope", report.scope)]
    facts.append(("runs", f"{outcomes_text(report)}; n counts plain + perturbed runs"))
    facts += [("hosts", hosts_line(report.hosts))] if report.hosts else []
    facts += [("next", step) for step in report.next_steps]
    return Facts(rows=tuple(Fact(name=name, texts=(text,)) for name, text in facts))


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
    texts = [f"{compiler}: {', '.join(kernel_names(refs, _NAME))}" for compiler, refs in built]
    if len("; ".join(texts)) <= 2 * (_LINE - 12):
        return "; ".join(texts)
    return f"{len(built)} different ones, from {built[0][0]} to {built[-1][0]}; which is whose: --format markdown"


def _failures(report: Report) -> Iterator[Block]:
    failures = report.runs.failures
    if not failures:
        return
    counts = ", ".join(f"{n} {outcome}" for outcome, n in failure_counts(report))
    yield Facts(rows=(Fact(name="failed", texts=(counts,)),), tone=DOUBT)
    texts = (f"{f.kernel}: {f.outcome}, {f.detail or '-'} (attempt {f.attempt})" for f in failures[:_FAILURES])
    yield Items(texts=tuple(cut(one_line(text), _LINE - 2) for text in texts))
    yield from _left_out(len(failures) - _FAILURES)


def _limited(texts: Sequence[str], limit: int, noun: str) -> list[str]:
    left = len(texts) - limit
    return [*texts[:limit], *([f"and {left} more {noun}: see --format markdown"] if left > 0 else [])]
