# SPDX-License-Identifier: GPL-2.0-only
"""The tables of the answer, for every form."""

from collections.abc import Iterator

from kassay.labs.notice.model import CallSizes, Notice, Noticed, SoughtEntry, SoughtFunction
from kassay.labs.notice.report._words import (
    calls_text,
    cost_share_text,
    cost_text,
    entry_name,
    kernels,
    names_of,
    per_text,
    relevant_sizes,
    scale_of,
    share_text,
    shares_of_entries,
)  # fmt: skip
from kassay.model.texts import Table, cells, figures, table
from kassay.model.units import format_change, format_number


def tables(notice: Notice) -> Iterator[Table]:
    """The applications, then their figures by function and by system call, then the sizes of their calls."""
    answered = [application for application in notice.applications if application.verdict != "unknown"]
    if answered:
        yield _applications(notice, answered)
    executing = [application for application in answered if application.verdict != "unexecuted"]
    if executing:
        yield from _parts(notice, executing)
    yield from _sizes(executing)


def _applications(notice: Notice, answered: list[Noticed]) -> Table:
    sides = kernels(notice.subject)
    two = len(sides) > 1
    names = names_of(answered)
    predicted = list(dict.fromkeys(cpu for application in answered for cpu in _times(application))) if two else []
    columns = ("application", "per", *figures("calls"), "by", *figures(sides[0]))
    more = (*figures(sides[-1], "costs", *(f"time, {cpu}" for cpu in predicted), "all in all"), "evidence")
    known = any(application.origin for application in answered)
    rows = [
        cells(names(application), *_answer(application), *(_change(application, predicted) if two else ()),
              *(["atlas" if application.origin else "measured"] * known))
        for application in answered
    ]  # fmt: skip
    legend = "; costs: their change, all in all: that of everything, both in percent of everything" if two else ""
    return table(
        f"Instructions of the functions{legend}", (*columns, *(more if two else ()), *(["from"] * known)), rows
    )


def _answer(application: Noticed) -> tuple[str, ...]:
    if application.verdict == "unexecuted":
        return per_text(application), "0", "not executed", "0"
    by, cost = shares_of_entries(application.entries), cost_text(application, "base")
    return per_text(application), calls_text(application), by, cost


def _times(application: Noticed) -> dict[str, str]:
    """The share of its predicted time by CPU."""
    times = {share.cpu: share_text(share.share) for share in application.predicted}
    return times | {one.cpu: "refused" for one in application.unpredicted}


def _change(application: Noticed, cpus: list[str]) -> tuple[str, ...]:
    times = _times(application)
    predicted = (times.get(cpu, share_text(None)) for cpu in cpus)
    cost, share = cost_text(application, "head"), cost_share_text(application)
    return cost, share, *predicted, format_change(application.change), application.evidence


def _parts(notice: Notice, executing: list[Noticed]) -> Iterator[Table]:
    """The figures by function and by system call, of each kernel that was asked about."""
    names, sides = names_of(executing), kernels(notice.subject)
    functions = [
        cells(f"{names(application)}: {f.function}", "with what it calls" if f.whole else "itself",
              per_text(application), *_figures(notice, application, f))
        for application in executing for f in application.functions if f.base or f.head
    ]  # fmt: skip
    calls = figures(*(f"calls {side}" for side in sides), *sides)
    yield table("By function", ("application: function", "counted", "per", *calls), functions, folded=True)
    entries = [
        cells(f"{names(application)}: {entry_name(entry.entry)}", per_text(application),
              *_figures(notice, application, entry))
        for application in executing for entry in application.entries
    ]  # fmt: skip
    occurs = figures(*(f"occurs {side}" for side in sides), *sides)
    columns = ("application: system call or fault", "per", *occurs)
    if entries:
        yield table("By system call or fault", columns, entries, folded=True)


def _figures(notice: Notice, application: Noticed, part: SoughtFunction | SoughtEntry) -> Iterator[str]:
    """Calls and cost on each kernel that was asked about."""
    for base, head in ((part.base_calls, part.head_calls), (part.base, part.head)):
        for side in (base, head) if notice.subject.head else (base,):
            yield format_number(None if side is None else scale_of(application) * side)


def _sizes(executing: list[Noticed]) -> Iterator[Table]:
    names = names_of(executing)
    rows = [
        cells(f"{names(application)}: {sizes.what}", *_size(sizes))
        for application in executing
        for sizes in relevant_sizes(application)
    ]
    if rows:
        columns = figures("calls", "pages", "median", "90 % up to", "largest", "half of all pages up to")
        title = "How large their calls are, in pages, as recorded in a further run"
        yield table(title, ("application: call", *columns), rows)


def _size(sizes: CallSizes) -> tuple[str, ...]:
    each = sizes.calls / sizes.executions, sizes.pages / sizes.executions
    return tuple(map(format_number, (*each, sizes.median, sizes.p90, sizes.largest, sizes.typical)))
