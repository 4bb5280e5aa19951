# SPDX-License-Identifier: GPL-2.0-only
"""gap: how much of the change between two kernels a third one takes back; in words, by setting, and by function."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum

from msgspec import structs

from kassay.model.experiment import labels
from kassay.model.finding import Gap, GapFunction
from kassay.model.question import Answered, Kernels, Question, neighbours_and_ends
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text, reasons_text
from kassay.model.records import grouped
from kassay.model.report import Lead, Report
from kassay.model.texts import Table, TextBlock, cells, figures, listed, memory_text, one_line, settings_text, table
from kassay.model.units import format_change, format_numbers, format_signed, places_of, relative_change
from kassay.report.mail.names import everyday_text, mail_names, point_text, unit_text, work_text
from kassay.report.overview import wide
from kassay.report.sentences import strength, work_at
from kassay.report.words import names_by_label, point_name

COLUMN = (
    "Gap closed: (new - candidate) / (new - old); 100 % is all of it, 0 % nothing, below 0 the candidate is worse than "
    "new, above 100 % better than old."
)
_SHOWN, _GROUPS = 8, 4  # functions of a table, tables on a screen
_ZERO = "0.0 %"  # a share that reads as this is none
_ALL, _HALF = 0.995, 0.5  # shares of a gap that count as all and half of it


def gap_sentence(subject: str, gap: Gap, names: Mapping[str, str]) -> str:
    """Sentence on what the candidate takes back. subject: the work ("Toggling ..."). names: of the three kernels."""
    old, new, candidate = (names[label] for label in (gap.old, gap.new, gap.candidate))
    if gap.share is None or gap.old_value is None or gap.new_value is None:
        return f"{subject}: no share can be told: {reasons_text(gap.reasons)}."
    figures = format_numbers([gap.old_value, gap.new_value, gap.candidate_value])
    values = f"{figures[0]} on {old}, {figures[1]} on {new}, {figures[2]} on {candidate} {gap.unit}"
    loss = gap.new_value > gap.old_value
    gap_words = f"what {new} costs more than {old}" if loss else f"what {new} costs less than {old}"
    return f"{subject}: {candidate} {_taken(gap, gap_words, loss=loss)} ({_range(gap)}{values})."


def _taken(gap: Gap, gap_words: str, *, loss: bool) -> str:
    share = gap.share or 0.0
    low, high = gap.interval or (share, share)
    takes = "takes back" if loss else "gives up"
    if low <= 0 <= high and low != high:
        return f"{takes} {percent(share)} of {gap_words}, which cannot be told from nothing"
    if percent(abs(share)) == _ZERO:
        return f"takes back nothing of {gap_words}"
    if percent(abs(share - 1)) == _ZERO:
        return f"{takes} all of {gap_words}"
    if share < 0:
        worse = "costs even more" if loss else "gains even more"
        return f"takes back nothing of {gap_words}: it {worse}, by {percent(-share)} of that"
    if share > 1:
        if low <= 1 and low != high:
            return f"{takes} all of {gap_words}; whether more than that cannot be told"
        beyond = "costs less than before" if loss else "costs more than before"
        return f"{takes} all of {gap_words} and {percent(share - 1)} of it beyond: it {beyond}"
    return f"{takes} {percent(share)} of {gap_words}"


def _range(gap: Gap) -> str:
    if gap.interval is None or interval_text(gap) == percent(gap.share):
        return ""
    low, high = map(percent, gap.interval)
    return f"between {low} and {high}; "


def percent(share: float | None) -> str:
    """ "17.9 %"; absent is "-"."""
    return "-" if share is None else f"{round(share * 100, 1) + 0.0:.1f} %"  # + 0.0: no minus before a zero


def interval_text(gap: Gap) -> str:
    """ "17.5 % to 18.3 %"; one figure where both ends read the same."""
    if gap.interval is None:
        return "-"
    low, high = map(percent, gap.interval)
    return low if low == high else f"{low} to {high}"


def gap_tables(report: Report, names: Mapping[str, str]) -> tuple[Table, ...]:
    """A table for each primary metric, a setting a row; the other metrics of a workload below it."""
    primary_first = sorted(report.gaps, key=lambda gap: not gap.primary)
    groups = grouped(((gap.workload, gap.primary), gap) for gap in primary_first)
    return tuple(_table(gaps, names) for gaps in groups.values())


def _table(gaps: Sequence[Gap], names: Mapping[str, str]) -> Table:
    lead = gaps[0]
    axes = _axes(gaps)
    kernels = [one_line(names.get(label, label)) for label in (lead.old, lead.new, lead.candidate)]
    wide = any(" to " in interval_text(gap) for gap in gaps)
    rows = []
    for i, gap in enumerate(gaps):
        values = format_numbers([gap.old_value, gap.new_value, gap.candidate_value])
        against = None if _refused(gap, gap.candidate) else relative_change(gap.new_value, gap.candidate_value)
        n = str(gap.n[0]) if len(set(gap.n)) == 1 else ", ".join(map(str, gap.n))
        limits = (interval_text(gap),) if wide else ()
        texts = (*values, format_change(against), percent(gap.share), *limits, n)
        mark = "" if gap.share is not None else "inconclusive"
        rows.append(cells(*(axis[i] for axis in axes.values()), *texts, mark=mark))
    head = (*axes, *figures(*kernels, f"vs {kernels[1]}", "gap closed", *(("interval",) if wide else ()), "n"))
    title = f"{one_line(lead.workload)} [{one_line(lead.unit)}]: how much {kernels[2]} takes back"
    return table(title if lead.primary else f"{title}, part by part", head, rows)


def _refused(gap: Gap, head: str) -> bool:
    """True if the comparison of `head` with the kernel before it was refused."""
    return any(why.code == "comparison-refused" and why["head"] == head for why in gap.reasons)


def _axes(gaps: Sequence[Gap]) -> dict[str, list[str]]:
    """Settings that take more than one value among the rows; the metric if none does."""
    texts = {
        "metric": [one_line(gap.metric) for gap in gaps],
        "CPUs": ["-" if gap.machine.cpus is None else str(gap.machine.cpus) for gap in gaps],
        "memory": [memory_text(gap.machine.memory_bytes) or "-" for gap in gaps],
        "setting": [settings_text(gap.settings) for gap in gaps],
    }
    varied = {name: values for name, values in texts.items() if len(set(values)) > 1}
    return varied or {"metric": texts["metric"]}


def function_table(gap: Gap, *, top: int | None = _SHOWN) -> Table | None:
    """Loss and regain of each function. Others and unattributed costs have rows, so that the columns add up."""
    if not gap.functions or gap.unattributed is None or gap.old_value is None or gap.new_value is None:
        return None
    places = places_of(gap.new_value)
    visible = len([f for f in gap.functions if round(f.lost, places) or round(f.regained, places)])
    cut = len(gap.functions) if top is None else min(top, visible)
    shown, rest = gap.functions[:cut], gap.functions[cut:]
    total = gap.new_value - gap.old_value
    open_lost, open_regained = gap.unattributed
    rows = [(_named(row), row.lost, row.regained) for row in shown]
    if rest:
        label = f"{len(rest)} others" if len(rest) > 1 else "1 other"
        rows.append((label, fsum(f.lost for f in rest), fsum(f.regained for f in rest)))
    if open_lost or open_regained:
        rows.append(("unattributed", open_lost, open_regained))
    rows.append(("together", total, (gap.share or 0.0) * total))
    lines = (
        cells(name, format_signed(lost, places), format_signed(back, places), percent(back / total))
        for name, lost, back in rows
    )
    title = f"{one_line(gap.metric)} [{one_line(gap.unit)}]: which functions lost it, and which take it back"
    return table(title, ("function", *figures("lost", "regained", "of the gap")), lines, folded=top is None)


def _named(function: GapFunction) -> str:
    where = "" if function.context in ("kernel", "user", "idle") else f" ({function.context})"
    return f"{one_line(function.function)}{where}"


def notes(report: Report, text: Callable[[Reason], str] = reason_text) -> tuple[str, ...]:
    """The meaning of the columns, and how the intervals were made. One that reads as its share has no column.

    text: how a reason reads for these readers.
    """
    methods = dict.fromkeys(gap.method for gap in report.gaps if gap.share is not None)
    refused = [
        f"No share of {one_line(gap.metric)}: {'; '.join(map(text, gap.reasons))}."
        for gap in report.gaps
        if gap.share is None
    ]
    return (COLUMN, *(f"Interval: {text(method)}." for method in methods), *dict.fromkeys(refused))


def gap_counts(gaps: Sequence[Gap], name_of: Mapping[str, str]) -> tuple[str, ...]:
    """ "30 of 40 workloads cost more or less on 6.19 than on 6.12. 7.3 takes back all of that in 2, ..." """
    if not gaps:
        return ()
    old, new, candidate = (name_of[label] for label in (gaps[0].old, gaps[0].new, gaps[0].candidate))
    open_ = [gap for gap in gaps if gap.share is not None]
    refused = sum(gap.share is None and not _is_none(gap) for gap in gaps)
    settings = f"{len(open_)} of {len(gaps)} primary metrics differ between {old} and {new}."
    if refused:
        settings += f" No share can be told for {refused}."
    shares = [gap.share or 0.0 for gap in open_]
    counts = (
        ("all of it", sum(share >= _ALL for share in shares)),
        ("at least half", sum(_HALF <= share < _ALL for share in shares)),
        ("less than half", sum(0 < share < _HALF for share in shares)),
        ("nothing", sum(share <= 0 for share in shares)),
    )
    parts = [f"{amount} in {count}" for amount, count in counts if count]
    return (settings, f"{candidate} takes back {listed(parts)}.") if open_ else (settings,)


def gap_overview(gaps: Sequence[Gap], name_of: Mapping[str, str], *, narrow: bool = False) -> Table:
    """One row for each workload and setting, in its primary metric; those that have no gap, or no share, say so.

    narrow: without what a mail has no room for: units, and the change from old to new.
    """
    old, new, candidate = (one_line(name_of[label]) for label in (gaps[0].old, gaps[0].new, gaps[0].candidate))
    rows, points = [], [gap.point for gap in gaps]
    for gap in gaps:
        change = None if _refused(gap, gap.new) else relative_change(gap.old_value, gap.new_value)
        name = point_name(gap.point, points)
        values = format_numbers([gap.old_value, gap.new_value, gap.candidate_value])
        closed = percent(gap.share) if gap.share is not None else "no gap" if _is_none(gap) else "not told"
        mark = "" if gap.share is not None else "inconclusive"
        rows.append(cells(name, gap.unit.partition("/")[2], *values, format_change(change), closed, mark=mark))
    counted = gaps[0].unit.partition("/")[0]
    title = f"How much {candidate} takes back [{counted} per unit]"
    if narrow:
        few = [(row[0], *row[2:5], row[6]) for row in rows]
        return table(title, ("workload", *figures(old, new, candidate, "gap closed")), few)
    columns = ("workload", "unit", *figures(old, new, candidate, f"{new} vs {old}", "gap closed"))
    return table(title, columns, rows)


def _is_none(gap: Gap) -> bool:
    """True if old and new are equivalent; false if it is not known that they are."""
    return gap.share is None and {why.code for why in gap.reasons} == {"no-gap"}


def _complete(answered: Answered) -> Report:
    from kassay.analysis.gap import gaps  # slow to load, and not needed to check an experiment

    plan, report = answered.plan, answered.report
    all_gaps = gaps(report.findings, labels(plan.experiment))
    name_of = names_by_label(report)
    primary = [gap for gap in all_gaps if gap.primary]
    many = wide(plan)
    sentences = list(gap_counts(primary, name_of)) if many else [
        gap_sentence(work_at(plan, gap), gap, name_of) for gap in primary
    ]  # fmt: skip
    verdict = " ".join((*sentences, *strength(report.findings))) if sentences else report.verdict
    report = structs.replace(report, gaps=all_gaps, verdict=verdict)
    if not all_gaps:
        return report
    return structs.replace(report, lead=_lead_of_many(report, primary) if many else lead_of(report))


def _lead_of_many(report: Report, primary: Sequence[Gap]) -> Lead:
    """One table for all workloads instead of one for each."""
    overview = gap_overview(primary, names_by_label(report))
    lead = lead_of(report)
    name_of = mail_names(report)
    narrow = gap_overview(primary, name_of, narrow=True)
    return structs.replace(
        lead,
        blocks=(
            TextBlock(title=overview.title, tables=(overview,), readers=("screen", "page")),
            *(block for block in lead.blocks if "page" in block.readers),
            _in_mail("How much of each change is taken back", narrow),
        ),
        mail_answer=" ".join(gap_counts(primary, name_of)),
        sentences=False,
    )


def lead_of(report: Report) -> Lead:
    """The blocks of a report with gaps, for each kind of reader."""
    name_of = names_by_label(report)
    tables = gap_tables(report, name_of)
    primary = [gap for gap in report.gaps if gap.primary]
    briefly = [shown for gap in report.gaps[:_GROUPS] if gap.primary and (shown := function_table(gap)) is not None]
    whole = [shown for gap in primary if (shown := function_table(gap, top=None)) is not None]
    page = TextBlock(
        title="How much of the gap is closed", text=notes(report), tables=(*tables, *whole), readers=("page",)
    )
    screen = (TextBlock(title=shown.title, tables=(shown,), readers=("screen",)) for shown in (*tables, *briefly))
    return Lead(
        blocks=(*screen, page, *_mail(report)),
        replaces=("screen", "mail"),
        pairs=tuple((gap.old, gap.new) for gap in report.gaps),
        mail_answer=" ".join(_mail_sentence(report, gap) for gap in primary),
        subject=_closed(report),
        weak=any(gap.share is None or gap.evidence in ("partial", "unstable") for gap in primary if not _is_none(gap)),
        mail_functions=False,
        predicts_all=True,
    )


def _in_mail(title: str, shown: Table) -> TextBlock:
    return TextBlock(title=title, tables=(structs.replace(shown, title=""),), readers=("mail",))


def _mail(report: Report) -> tuple[TextBlock, ...]:
    """A table each, what its columns are, where the gap is."""
    shown = gap_tables(report, mail_names(report))
    texts = (*notes(report, partial(everyday_text, report)), "n: boots of each kernel with nothing moved.")
    functions = next((t for gap in report.gaps if gap.primary and (t := function_table(gap)) is not None), None)
    return (
        *(_in_mail(unit_text(each.title), each) for each in shown),
        TextBlock(text=(" ".join(texts),), readers=("mail",)),
        *((_in_mail(unit_text(functions.title), functions),) if functions is not None else ()),
    )


def _mail_sentence(report: Report, gap: Gap) -> str:
    """gap_sentence() with the work and the kernels called as in the rest of the mail."""
    point = (gap.point, gap.metric)
    finding = next(f for f in report.findings if (f.point, f.metric) == point)
    where = point_text(report, finding)
    return gap_sentence(f"{work_text(report, finding)}{f' ({where})' if where else ''}", gap, mail_names(report))


def _closed(report: Report) -> str:
    """ "17.9% of the gap from v6.12 to v6.19 closed by v7.0"."""
    gaps = [g for g in report.gaps if g.primary] or list(report.gaps)
    first = next((g for g in gaps if g.share is not None), gaps[0])
    old, new, candidate = (mail_names(report).get(label, label) for label in (first.old, first.new, first.candidate))
    if first.share is None:
        if all(map(_is_none, gaps)):
            return f"no gap from {old} to {new} that {candidate} could close"
        return f"no share can be told of the gap from {old} to {new} that {candidate} may close"
    gain = _is_gain(first)
    what = f"gain from {old} to {new} given up" if gain else f"gap from {old} to {new} closed"
    alike = [g for g in gaps if g.share is not None and _is_gain(g) == gain]
    return f"{_span(alike)} of the {what} by {candidate}"


def _is_gain(gap: Gap) -> bool:
    return (gap.new_value or 0.0) < (gap.old_value or 0.0)


def _span(gaps: Sequence[Gap]) -> str:
    """ "17.9%", "5.0% to 40.0%", "at most 40.0%" where it may be nothing, "none"."""
    shares = [gap.share or 0.0 for gap in gaps]
    low, high = min(shares), max(shares)
    intervals = [gap.interval for gap in gaps if gap.interval is not None]
    if any(least <= 0 <= most and least != most for least, most in intervals):
        low, high = 0.0, max(most for _, most in intervals)
    if high <= 0 or percent(high) == _ZERO:
        return "none"
    if low <= 0:
        return f"at most {high * 100:.1f}%"
    texts = dict.fromkeys(f"{share * 100:.1f}%" for share in (low, high))
    return " to ".join(texts)


QUESTION = Question(
    name="gap",
    kernels=Kernels(least=3, most=3, rule="a gap has three kernels: old, new and candidate"),
    pairs=neighbours_and_ends,
    title=lambda work, kernels: (
        f"How much of the change in {work} from {kernels[0]} to {kernels[1]} does {kernels[2]} take back?"
    ),
    together=True,
    complete=_complete,
)
