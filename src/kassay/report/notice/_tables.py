# SPDX-License-Identifier: GPL-2.0-only
"""The tables of the answer, for every form."""

from collections.abc import Iterator

from kassay.model.notice import CallSizes, Notice, Noticed
from kassay.model.texts import Table, TableCell, cells, figures, settings_text, table
from kassay.model.units import format_change, format_number
from kassay.report.notice._words import (
    calls_text,
    cause_name,
    cost_text,
    share_text,
    shares_of_causes,
)  # fmt: skip


def tables(notice: Notice) -> Iterator[Table]:
    """What each application says; which functions and system calls that is; how large their calls are."""
    answered = [one for one in notice.applications if one.verdict != "unknown"]
    if answered:
        yield _applications(notice, answered)
    executing = [one for one in answered if one.verdict != "unexecuted"]
    if executing:
        yield _functions(notice, executing)
        yield _causes(notice, executing)
    yield from _sizes(executing)


def _applications(notice: Notice, answered: list[Noticed]) -> Table:
    two = bool(notice.subject.head)
    names = _names(answered)
    predicted = list(dict.fromkeys(share.cpu for one in answered for share in one.predicted)) if two else []
    columns = ("application", "per", *figures("calls"), "by", *figures(notice.subject.base))
    more = (*figures(notice.subject.head, "costs", *(f"time, {cpu}" for cpu in predicted), "all in all"), "evidence")
    rows = [cells(names[id(one)], *_answer(one), *(_change(one, predicted) if two else ())) for one in answered]
    what = "; costs, all in all: in percent of all instructions, of these functions and of everything" if two else ""
    return table(f"Instructions of the functions per operation{what}", (*columns, *(more if two else ())), rows)


def _answer(one: Noticed) -> tuple[str, ...]:
    per = one.unit.partition("/")[2]
    if one.verdict == "unexecuted":
        return per, "0", "not executed", "0"
    return per, calls_text(one), shares_of_causes(one.causes), cost_text(one, "base")


def _change(one: Noticed, cpus: list[str]) -> tuple[str, ...]:
    times = {share.cpu: share.share for share in one.predicted}
    return (cost_text(one, "head"), share_text(one.share), *(share_text(times.get(cpu)) for cpu in cpus),
            format_change(one.change), one.evidence)  # fmt: skip


def _functions(notice: Notice, executing: list[Noticed]) -> Table:
    names = _names(executing)
    rows = [
        _row(f"{names[id(one)]}: {f.function}", "with what it calls" if f.whole else "itself", notice,
             (f.base_calls, f.head_calls), (f.base, f.head))
        for one in executing for f in one.functions if f.base or f.head
    ]  # fmt: skip
    columns = ("application: function", "counted", *_columns(notice, "calls"))
    return table("By function, per operation", columns, rows, folded=True)


def _causes(notice: Notice, executing: list[Noticed]) -> Table:
    names = _names(executing)
    rows = [
        _row(f"{names[id(one)]}: {cause_name(c.cause)}", "", notice, (c.base_calls, c.head_calls), (c.base, c.head))
        for one in executing for c in one.causes
    ]  # fmt: skip
    columns = ("application: system call or fault", *_columns(notice, "occurs"))
    rows = [(row[0], *row[2:]) for row in rows]
    return table("By system call or fault, per operation", columns, rows, folded=True)


def _columns(notice: Notice, counted: str) -> tuple[str, ...]:
    sides = [notice.subject.base, notice.subject.head][: 1 + bool(notice.subject.head)]
    return figures(*(f"{counted} {side}" for side in sides), *sides)


def _row(
    name: str, word: str, notice: Notice, counts: tuple[float | None, ...], costs: tuple[float | None, ...]
) -> tuple[TableCell, ...]:
    sides = 1 + bool(notice.subject.head)
    return cells(name, word, *map(format_number, counts[:sides]), *map(format_number, costs[:sides]))


def _sizes(executing: list[Noticed]) -> Iterator[Table]:
    names = _names(executing)
    rows = [cells(f"{names[id(one)]}: {sizes.what}", *_size(sizes)) for one in executing for sizes in one.sizes]
    if rows:
        columns = figures("calls", "pages", "median", "90 % up to", "largest", "half of all pages up to")
        title = "How large their calls are, in pages, as recorded in a further run"
        yield table(title, ("application: call", *columns), rows)


def _size(sizes: CallSizes) -> tuple[str, ...]:
    each = sizes.calls / sizes.executions, sizes.pages / sizes.executions
    return tuple(map(format_number, (*each, sizes.median, sizes.p90, sizes.largest, sizes.typical)))


def _names(all_: list[Noticed]) -> dict[int, str]:
    """What each is called: with its settings, where an application has several."""
    several = {one.application for one in all_ if [other.application for other in all_].count(one.application) > 1}
    return {
        id(one): f"{one.application} {settings_text(one.settings)}" if one.application in several else one.application
        for one in all_
    }
