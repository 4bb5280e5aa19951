# SPDX-License-Identifier: GPL-2.0-only
"""Many workloads on one page: which kernel changed which of them, and which functions changed in several of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from shlex import join, quote

from msgspec import structs

from kassay.model.experiment import labels
from kassay.model.finding import CHANGES, REFUSED, Finding
from kassay.model.machine import Point
from kassay.model.overview import Cause, Overview, OverviewCell, OverviewRow
from kassay.model.plan import Plan
from kassay.model.reason import reason
from kassay.model.report import Lead, Report
from kassay.model.texts import (
    Table,
    TableCell,
    TextBlock,
    counted,
    figures,
    listed,
    machine_text,
    one_line,
    settings_text,
    shortened,
    table,
)
from kassay.model.units import format_change, format_number, format_signed
from kassay.report.itemised import difference, top_table
from kassay.report.mail.names import mail_names
from kassay.report.mail.text import ascii_text
from kassay.report.sections.kernel_share import entries_table, functions_table, overview_share_table, program_groups
from kassay.report.sections.repeat import step_alone
from kassay.report.sentences import is_multiple, since, strength
from kassay.report.series import KernelRow, MetricGroup, groups
from kassay.report.words import names_by_label, point_name

FROM = 4
"""Workloads from which on a report leads with an overview instead of a result for each."""

_CAUSES, _CAUSES_PAGE, _NAMED = 10, 60, 3  # functions on a screen and on a page; workloads named with each
_MAIL = 12  # rows of a mail
_LARGE = 0.1
_ENDS = "first to last"
_HOW = (
    "The first kernel has its value; each other one its change to the kernel before it. = is a change inside the "
    "margin, ? no verdict, ! refused, - not measured. Every workload has a unit of its own."
)
_CONTROLLED = (
    "Counts are exact: no cell is significant by chance, however many there are; what may move a count without a "
    "change of the code is the floor, below which no step is claimed."
)
_FUNCTIONS = (
    "Functions whose cost changed by 0.5 % of a workload's whole value or more, between one kernel and the next; those "
    "that show in most workloads first."
)


def wide(plan: Plan) -> bool:
    """True if an experiment has so many workloads that its report leads with an overview."""
    return len({cell.workload for cell in plan.cells}) >= FROM


def with_overview(report: Report, causes: tuple[Cause, ...], directory: str) -> Report:
    """The report, led by its overview. It keeps the itemised differences of changes only."""
    overview = overview_of(report, causes)
    left_out = {"attribution": None, "profile_note": reason("not-in-overview")}
    findings = tuple(
        f if f.verdict in CHANGES or f.attribution is None else structs.replace(f, **left_out) for f in report.findings
    )
    report = structs.replace(report, overview=overview, findings=findings, stacks=())
    verdict = " ".join((*overview_sentences(overview, names_by_label(report)), *strength(report.findings)))
    steps = _next_steps(report, overview, directory) or report.next_steps
    return structs.replace(report, verdict=verdict, lead=_lead(report, overview), next_steps=steps)


def overview_of(report: Report, causes: tuple[Cause, ...]) -> Overview:
    """Every workload and setting in its primary metric, in the report's order."""
    kernels = labels(report.experiment)
    rows = tuple(_row(group) for group in groups(report) if group.lead.primary and group.lead.workload)
    return Overview(kernels=kernels, rows=rows, causes=causes)


def _row(group: MetricGroup) -> OverviewRow:
    lead = group.lead
    ends = next((series.rows[1] for series in group.across if series.primary), None)
    assert lead.workload is not None
    return OverviewRow(
        workload=lead.workload, settings=lead.settings, machine=lead.machine, metric=lead.metric, unit=lead.unit,
        cells=tuple(_cell(row) for row in lead.rows),
        change=None if ends is None else ends.change, verdict="" if ends is None else ends.verdict,
    )  # fmt: skip


def _cell(row: KernelRow) -> OverviewCell:
    change = row.since_change if row.since else row.change
    return OverviewCell(
        kernel=row.kernel, value=row.value, change=change, since=row.since, verdict=row.verdict, evidence=row.evidence
    )


def overview_sentences(overview: Overview, name_of: Mapping[str, str]) -> tuple[str, ...]:
    """How many steps there are and where, which is the largest, which function shows in most workloads.

    name_of: what a kernel's label is called.
    """
    rows = overview.rows
    cells = [(row, cell) for row in rows for cell in row.cells[1:]]
    steps = [(row, cell) for row, cell in cells if cell.verdict in CHANGES and cell.change is not None]
    worse = sum(cell.verdict == "regression" for _, cell in steps)
    changed = len({id(row) for row, _ in steps})
    open_ = sum(cell.verdict not in ("", "equivalent", *CHANGES) for _, cell in cells)
    names = len({row.workload for row in rows})
    settings = f" at {len(rows)} settings" if len(rows) > names else ""
    size = f"{counted(names, 'workload')}{settings} on {counted(len(overview.kernels), 'kernel')}"
    if not steps:
        return (f"{size}: no step above the margin.", *_open(open_))
    counts = f"{counted(len(steps), 'step')} above the margin in {changed} of them, {worse} that cost more, "
    sentences = [f"{size}: {counts}{len(steps) - worse} that cost less."]
    regressions = [(row, cell) for row, cell in steps if cell.verdict == "regression"]
    row, cell = max(regressions or steps, key=lambda pair: abs(pair[1].change or 0.0))
    place = [one.kernel for one in row.cells].index(cell.kernel)
    ends = (name_of[cell.since or row.cells[place - 1].kernel], name_of[cell.kernel])
    which = since(ends, [name_of[one.kernel] for one in row.cells])
    sentences.append(f"Largest: {_name(row, rows)} {_change(cell.change)} {which}.")
    per_kernel = Counter(name_of[cell.kernel] for _, cell in steps)
    most = [f"{kernel} ({count})" for kernel, count in per_kernel.most_common(3)]
    sentences += [f"Most steps come with {listed(most)}."] if len(overview.kernels) > 2 else []
    if cause := _shared_cause(overview.causes):
        several = "most" if 2 * cause.workloads > names else "several"
        sentences.append(f"In {several} workloads at once: {cause_text(cause, name_of)} of {names}.")
    return (*sentences, *_open(open_))


def _open(count: int) -> tuple[str, ...]:
    return (f"{counted(count, 'comparison')} without a verdict.",) if count else ()


def _shared_cause(causes: Sequence[Cause]) -> Cause | None:
    """The first cause in more than one workload that no other function of the same step takes back."""
    shared = (cause for cause in causes if cause.workloads > 1)
    return next((cause for cause in shared if not any(_takes_back(other, cause) for other in causes)), None)


def _takes_back(other: Cause, cause: Cause) -> bool:
    """True if another function's change cancels most of this one's: one that was renamed, split or inlined."""
    if (other.base, other.head) != (cause.base, cause.head):
        return False
    totals = [fsum(row.share for row in one.rows) for one in (other, cause)]
    return 2 * abs(fsum(totals)) < min(map(abs, totals))


def cause_text(cause: Cause, name_of: Mapping[str, str]) -> str:
    """ "folio_add_lru +9 a call since 7.1, in 22 workloads"."""
    return f"{_function(cause)} {_amount(cause)} since {name_of[cause.head]}, in {counted(cause.workloads, 'workload')}"


def _function(cause: Cause) -> str:
    where = "" if cause.context in ("kernel", "") else f" ({cause.context})"
    with_ = f" with {counted(cause.callees, 'callee')}" if cause.callees else ""
    with_ += f" (was {cause.was})" if cause.was else ""
    return one_line(f"{cause.function}{with_}{where}")


def _amount(cause: Cause) -> str:
    if len(cause.rows) == 1:
        return f"{_signed(cause.rows[0].delta)} per {cause.rows[0].unit.partition('/')[2]}"
    if cause.per_call is not None:
        return f"{_signed(cause.per_call)} a call"
    shares = [row.share for row in cause.rows]
    low, high = format_change(min(shares)), format_change(max(shares))
    return low if low == high else f"{low} to {high}"


def _signed(value: float) -> str:
    return format_signed(value, 1 if abs(value) >= 10 else 2)


def _lead(report: Report, overview: Overview) -> Lead:
    links = _links(report)
    name_of = names_by_label(report)
    grid = overview_table(overview, name_of, links)
    many = cause_table(overview, name_of, _CAUSES_PAGE)
    in_mail = mail_names(report)
    sentences = overview_sentences(overview, in_mail)
    controlled = () if report.experiment.timed else (_CONTROLLED,)
    lines = _cause_lines(overview, name_of) if many.rows else ()
    blocks = (
        TextBlock(title=grid.title, text=(_HOW,), tables=(grid,), readers=("screen",)),
        TextBlock(title=grid.title, text=(_HOW, *controlled), tables=(grid,), readers=("page",)),
        *_programs(report),
        TextBlock(title="functions that changed", items=lines, readers=("screen",)),
        *((TextBlock(title=many.title, text=(_FUNCTIONS,), tables=(many,), readers=("page",)),) if many.rows else ()),
        *_itemised(report, links),
        *_mail(report, overview),
    )
    return Lead(
        blocks=tuple(block for block in blocks if not block.is_empty),
        replaces=("screen", "page", "mail"),
        sentences=False,
        itemised=False,
        mail_answer=ascii_text(" ".join((*sentences, *strength(report.findings, in_mail, everyday=True)))),
    )  # fmt: skip


def _programs(report: Report) -> tuple[TextBlock, ...]:
    """How much of programs is the kernel's; on a page with the tables of each."""
    shares = overview_share_table(report)
    if shares is None:
        return ()
    each = (
        structs.replace(t, folded=True) for group in program_groups(report)
        for t in (entries_table(group, limit=0), functions_table(group))
    )  # fmt: skip
    brief = TextBlock(title=shares.title, tables=(shares,), readers=("screen",))
    return brief, structs.replace(brief, tables=(shares, *each), readers=("page",))


def _links(report: Report) -> dict[tuple[str, ...], str]:
    """Anchor of each itemised difference, by workload, settings, machine and the two kernels."""
    shown = [f for f in report.findings if f.attribution is not None]
    return {_key(f): f"d{number}" for number, f in enumerate(shown, 1)}


def _key(f: Finding) -> tuple[str, ...]:
    return (f.workload, settings_text(f.settings), machine_text(f.machine), *f.kernels)


def overview_table(overview: Overview, name_of: Mapping[str, str], links: Mapping[tuple[str, ...], str]) -> Table:
    """Workloads by kernels. name_of: names of kernels by label. links: anchors of the cells' itemised differences."""
    ends = figures(_ENDS) if len(overview.kernels) > 2 else ()
    rows = [
        (
            TableCell(text=one_line(_name(row, overview.rows))), TableCell(text=one_line(row.unit.partition("/")[2])),
            TableCell(text=format_number(row.cells[0].value)),
            *(
                _cell_of(row, links, cell.since or before.kernel, cell.kernel, cell)
                for before, cell in zip(row.cells, row.cells[1:], strict=False)
            ),
            *((_cell_of(row, links, row.cells[0].kernel, row.cells[-1].kernel, row),) if ends else ()),
        )
        for row in overview.rows
    ]  # fmt: skip
    kernels = figures(*(name_of[kernel] for kernel in overview.kernels))
    what = overview.rows[0].unit.partition("/")[0] if overview.rows else ""
    return table(f"Workloads by kernels [{what} per unit]", ("workload", "unit", *kernels, *ends), rows)


_UNCHANGED = {"equivalent": "=", "inconclusive": "?", "": "-"}


def _cell_of(
    row: OverviewRow, links: Mapping[tuple[str, ...], str], base: str, head: str, judged: OverviewRow | OverviewCell
) -> TableCell:
    """A change with the link to its functions. judged: has its verdict; a row that of its first kernel to the last."""
    link = links.get((row.workload, settings_text(row.settings), machine_text(row.machine), base, head), "")
    text = _change(judged.change) if judged.verdict in CHANGES else _UNCHANGED.get(judged.verdict, "!")
    if isinstance(judged, OverviewCell) and judged.value is None:
        text = "!" if judged.verdict in REFUSED and judged.verdict != "incomplete" else "-"
    return TableCell(text=text, mark=_mark(judged.verdict, judged.change), link=link)


def _mark(verdict: str, change: float | None) -> str:
    """The verdict's word, and with a large change one more for its colour."""
    if verdict in CHANGES and abs(change or 0.0) >= _LARGE:
        return f"{verdict} large"
    return "" if verdict in ("", "equivalent") else verdict


def _change(change: float | None) -> str:
    if change is not None and is_multiple(change):
        return f"{change + 1:.2f}×"
    return format_change(change)


def _name(row: OverviewRow, rows: Sequence[OverviewRow]) -> str:
    return point_name(row.point, [other.point for other in rows])


def cause_table(overview: Overview, name_of: Mapping[str, str], limit: int) -> Table:
    """Functions that changed: by how much, since which kernel, in which workloads."""
    rows = []
    for cause in overview.causes[:limit]:
        texts = (_function(cause), name_of[cause.head], _amount(cause), str(cause.workloads), _shares(cause))
        rows.append(tuple(TableCell(text=one_line(text)) for text in texts))
    left = len(overview.causes) - len(rows)
    title = "Functions that changed" + (f", {len(rows)} of {len(overview.causes)}" if left else "")
    columns = ("function", "since", *figures("difference", "workloads"), "share of the whole")
    return table(title, columns, rows)


def _cause_lines(overview: Overview, name_of: Mapping[str, str]) -> tuple[str, ...]:
    """One text for each of the first functions, and how many there are more."""
    texts = [f"{cause_text(cause, name_of)}: {_shares(cause)}" for cause in overview.causes]
    return tuple(shortened(texts, _CAUSES, "and {} more: see --format markdown or html"))


def _shares(cause: Cause) -> str:
    named = list(dict.fromkeys(f"{row.workload} {format_change(row.share)}" for row in cause.rows))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{', '.join(named[:_NAMED])}{more}"


def _itemised(report: Report, links: Mapping[tuple[str, ...], str]) -> tuple[TextBlock, ...]:
    tables = []
    for f in report.findings:
        d = difference(f, f"{f.workload}, {settings_text(f.settings)}")
        if d is not None:
            tables.append(structs.replace(top_table(d), anchor=links[_key(f)], folded=True))
    text = "Every step and every change from the first kernel to the last, as counted; the largest functions of each."
    found = TextBlock(title="Where each difference is", text=(text,), tables=tuple(tables), readers=("page",))
    return (found,) if tables else ()


def _mail(report: Report, overview: Overview) -> tuple[TextBlock, ...]:
    """The rows with the largest changes, and the functions in most workloads."""
    name_of = mail_names(report)
    changed = [(row, steps) for row in overview.rows if (steps := [c for c in row.cells[1:] if c.verdict in CHANGES])]
    texts = []
    for row, steps in sorted(changed, key=lambda pair: -max(abs(cell.change or 0.0) for cell in pair[1])):
        changes = ", ".join(
            f"{name_of[cell.kernel]} {_change(cell.change)}{_compared(cell, name_of)}" for cell in steps
        )
        texts.append(f"{_name(row, overview.rows)}: {changes}")
    texts = shortened(texts, _MAIL, "and {} more with smaller changes")
    several = structs.replace(overview, causes=tuple(c for c in overview.causes if len(c.rows) > 1))
    causes = _cause_lines(several, name_of) if several.causes else ()
    titles = ("Changes, each to the kernel before it", "Functions that changed in several workloads")
    items = zip(titles, (texts, causes), strict=True)
    return tuple(TextBlock(title=title, items=tuple(each), readers=("mail",)) for title, each in items)


def _compared(cell: OverviewCell, name_of: Mapping[str, str]) -> str:
    """Text that names the kernel that a step of small changes reaches back to; "" for other steps."""
    return f" compared with {name_of[cell.since]}" if cell.since else ""


def _next_steps(report: Report, overview: Overview, directory: str) -> tuple[str, ...]:
    """The largest step: all its functions, and it alone."""
    steps = [(row, before, cell) for row in overview.rows
             for before, cell in zip(row.cells, row.cells[1:], strict=False) if cell.verdict in CHANGES]  # fmt: skip
    if not steps:
        return ()
    row, before, cell = max(steps, key=lambda step: (step[2].verdict == "regression", abs(step[2].change or 0.0)))
    base = cell.since or before.kernel
    profile = ("kassay", "profile", directory, "--set", f"workload={row.workload}", "--base", base, "--head")
    pair = (overview.kernels.index(base), overview.kernels.index(cell.kernel))
    alone = step_alone(report.experiment, report.kernels, pair, Point(row.workload, row.settings, row.machine))
    return (
        f"{join(profile)} {quote(cell.kernel)} --top 0  # every function of the largest step",
        f"{alone}  # that step alone, with more perturbed runs",
    )
