# SPDX-License-Identifier: GPL-2.0-only
"""The document of a measurement: charts, tables in the words of the patch, and notes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from msgspec import structs

from kassay.labs.pcp.model.measured import PcpMeasured, PcpRow, ZoneCounts
from kassay.labs.pcp.report.lab import ListGroup, PagePart, lab_document
from kassay.labs.pcp.report.lists import ListPoint, ListSource
from kassay.model.records import Setting, grouped
from kassay.model.texts import Table, cells, counted, cpus_text, figures, memory_text, settings_text, table
from kassay.model.units import format_change, format_number
from kassay.report.answers import Kind
from kassay.report.document import Document
from kassay.report.words import short_labels

Value: TypeAlias = Callable[[PcpRow, ZoneCounts], float | None]
_PER = 1000
_TELLING = ("size", "tasks", "memory", "sockets", "wake")
"""Settings that a heading has; the others are always their defaults."""

_BARS = (
    "Acquisitions of the zone lock for 1000 blocks allocated, by kernel and policy; in brackets those by another CPU "
    "than the one before. Of lists that hardly changed there is no chart."
)
_CPUS = 2
"""CPUs that have a chart, of each kernel under each policy."""


class Question(NamedTuple):
    """A column of the tables."""

    title: str
    """Heading of the column."""
    value: Value
    """Function that gives the value of a row."""
    change: bool = True
    """True if the column compares two rows."""


def _share(part: Callable[[ZoneCounts], int]) -> Value:
    return lambda row, counts: 100 * part(counts) / counts.allocated if counts.allocated else None


def _each(part: Callable[[ZoneCounts], int | None]) -> Value:
    def value(row: PcpRow, counts: ZoneCounts) -> float | None:
        count = part(counts)
        return None if count is None or not counts.allocated else _PER * count / counts.allocated

    return value


QUESTIONS = (
    Question("from zone %", _share(lambda c: c.refilled + c.direct)),
    Question("refills", lambda row, c: c.refills),
    Question("drains", lambda row, c: c.drains),
    Question("drained", lambda row, c: c.drained),
    Question("lock taken", lambda row, c: c.acquisitions),
    Question("/1000 alloc", _each(lambda c: c.acquisitions), change=False),
    Question("handovers", lambda row, c: c.handovers),
    Question("idle pages", lambda row, c: row.idle_pages),
    Question("highest", lambda row, c: row.highest, change=False),
    Question("instr./op", lambda row, c: c.instructions / row.operations if row.operations else None),
)
_COMPARED = tuple(question for question in QUESTIONS if question.change)


def document(answer: PcpMeasured) -> Document:
    """Charts of each kernel's lists over time and of the lock's work, then every table."""
    answer = _named(answer)
    groups = rows_by_setting(answer)
    kernels = list(dict.fromkeys(row.kernel for row in answer.rows))
    return lab_document(
        kicker="kassay: per-CPU page lists of real kernels", title=", ".join(kernels),
        verdict=f"{counted(len(kernels), 'kernel')}, {counted(len(groups), 'setting')}; {cpus_text(answer.cpus)}, "
        f"{memory_text(answer.memory_bytes)}",
        parts=[
            PagePart(", ".join(filter(None, (workload, settings_text(settings)))), _bars(rows), _BARS, _groups(rows))
            for workload, settings, rows in groups
        ],
        tables=tables(answer), notes=notes(answer), cpus=_CPUS, clock="guest time, of 10⁹ instructions each",
        kassay_version=answer.kassay_version,
    )  # fmt: skip


def _named(answer: PcpMeasured) -> PcpMeasured:
    """The answer with the names of kernels that people use."""
    full = tuple(dict.fromkeys(row.kernel for row in answer.rows))
    names = dict(zip(full, short_labels(full), strict=True))
    return structs.replace(answer, rows=tuple(structs.replace(row, kernel=names[row.kernel]) for row in answer.rows))


def rows_by_setting(answer: PcpMeasured) -> Sequence[tuple[str, tuple[Setting, ...], Sequence[PcpRow]]]:
    """The rows of each setting of each workload."""
    by_setting = grouped(((row.workload, row.settings), row) for row in answer.rows)
    return [(workload, settings, rows) for (workload, settings), rows in by_setting.items()]


def pairs(rows: Sequence[PcpRow]) -> Iterator[tuple[PcpRow, PcpRow]]:
    """Pairs to compare: each kernel with the one before, under its own policy; then fixed with auto on one kernel."""
    own = [row for row in rows if not row.policy.startswith("fixed=")]
    yield from pairwise(own)
    for row in own:
        for other in rows:
            if other.kernel == row.kernel and other.policy.startswith("fixed=") and row.policy == "auto":
                yield other, row


def tables(answer: PcpMeasured) -> Iterable[Table]:
    """Counts and changes, setting by setting; then how lists shrink in an idle machine."""
    for workload, settings, rows in rows_by_setting(answer):
        own = ", ".join(filter(None, (workload, _telling(settings))))
        shown = [question for question in QUESTIONS if any(_value(question, row) is not None for row in rows)]
        shown = [question for question in shown if question.title != "handovers" or answer.cpus > 1]
        values = [[format_number(_value(question, row)) for question in shown] for row in rows]
        lines = (cells(row.kernel, row.policy, *each, _runs(row)) for row, each in zip(rows, values, strict=True))
        yield table(own, ("kernel", "policy", *figures(*(question.title for question in shown)), "n"), lines)
        compared = [question for question in _COMPARED if question in shown]
        changes = [cells(*_between(base, head), *(_change(question, base, head) for question in compared))
                   for base, head in pairs(rows)]  # fmt: skip
        if changes:
            yield table(f"Change, {own}", ("from", "to", *figures(*(question.title for question in compared))), changes)
    yield from _decay(answer)


def notes(answer: PcpMeasured) -> Iterable[str]:
    """The meaning of the columns, and common misreadings."""
    yield (
        f"Machine: {answer.machine}, {cpus_text(answer.cpus)}, {memory_text(answer.memory_bytes)}. Counts are of all "
        "rounds of a run; n: runs, which all gave the same counts unless marked ≠."
    )
    yield (
        "from zone: blocks taken from the zone, by refills or past the lists, of 100 blocks allocated. lock taken: the "
        "zone's, for refills, drains and blocks past the lists. handovers: by another CPU than the time before, over "
        "the whole region. idle pages: in all lists, the mean of the samples before the first round and "
        "after each one; highest: the largest high of any list."
    )
    yield "Virtual CPUs take turns: nobody waits for a lock here, and a handover is no measure of contention by itself."
    for row in answer.rows:
        if row.problem:
            yield f"{row.kernel} {row.policy} {row.workload} {settings_text(row.settings)}: {row.problem}"


def _decay(answer: PcpMeasured) -> Iterator[Table]:
    """Pages in the lists of each CPU over the seconds of an idle machine."""
    for workload, settings, rows in rows_by_setting(answer):
        if workload != "pcp_idle" or not any(row.samples for row in rows):
            continue
        moments = next([sample.time_ns for sample in row.samples] for row in rows if row.samples)
        chosen = sorted({min(at, len(moments) - 1) for at in (0, 1, 3, 7, 15, 31, len(moments) - 1)})
        table_rows = []
        for row in rows:
            for cpu in range(answer.cpus):
                lists = [[s for s in row.samples[at].lists if s.cpu == cpu] for at in chosen if at < len(row.samples)]
                texts = [f"{sum(s.count for s in own)}/{max((s.high for s in own), default=0)}" for own in lists]
                table_rows.append(cells(row.kernel, row.policy, str(cpu), *texts))
        titles = [f"{moments[at] / 1e9:.0f} s" for at in chosen]
        title = f"pages/high after the burst, {_telling(settings)}"
        yield table(title, ("kernel", "policy", "CPU", *figures(*titles)), table_rows)


def _telling(settings: Sequence[Setting]) -> str:
    return settings_text([setting for setting in settings if setting.name in _TELLING])


def _value(question: Question, row: PcpRow) -> float | None:
    return None if row.counts is None or row.problem else question.value(row, row.counts)


def _change(question: Question, base: PcpRow, head: PcpRow) -> str:
    before, after = _value(question, base), _value(question, head)
    if before is None or after is None:
        return "-"
    if before == after:
        return "same"
    if not before:
        return f"0 → {format_number(after)}"
    return format_change(after / before - 1)


def _between(base: PcpRow, head: PcpRow) -> tuple[str, str]:
    if base.kernel == head.kernel:
        return f"{base.kernel} {base.policy}", head.policy
    return base.kernel, head.kernel


def _runs(row: PcpRow) -> str:
    return f"{row.runs}" if row.alike or not row.runs else f"{row.runs} ≠"


def _bars(rows: Sequence[PcpRow]) -> list[tuple[str, float, str]]:
    bars = []
    for row in rows:
        counts = row.counts
        if counts is not None and not row.problem and counts.allocated:
            taken = 1000 * counts.acquisitions / counts.allocated
            over = f" ({format_number(counts.handovers)} handed over)" if counts.handovers else ""
            bars.append((_label(row), taken, f"{format_number(float(f'{taken:.3g}'))}{over}"))
    return bars


def _groups(rows: Sequence[PcpRow]) -> list[ListGroup]:
    drawn = ((_label(row), _points(row)) for row in rows)
    return [ListGroup(name, (ListSource("", points),)) for name, points in drawn if _moved(points)]


def _moved(points: Sequence[ListPoint]) -> bool:
    """True if high changed, or the pages of a list by a quarter of it."""
    return any(
        len({point.high for point in own}) > 1
        or max(point.pages for point in own) - min(point.pages for point in own) > own[0].high / 4
        for cpu in {point.cpu for point in points}
        if (own := [point for point in points if point.cpu == cpu])
    )


def _points(row: PcpRow) -> list[ListPoint]:
    """Samples of the zone with the longest lists: the workload's pages are from it."""
    longest: dict[str, int] = {}
    for sample in row.samples:
        for page_list in sample.lists:
            longest[page_list.zone] = max(longest.get(page_list.zone, 0), page_list.high, page_list.count)
    if not longest:
        return []
    zone = max(longest, key=lambda name: longest[name])
    return [
        ListPoint(sample.time_ns / 1e9, page_list.cpu, page_list.count, page_list.high)
        for sample in row.samples
        for page_list in sample.lists
        if page_list.zone == zone
    ]


def _label(row: PcpRow) -> str:
    return f"{row.kernel} {row.policy}"


MEASURED = Kind(document=document)
