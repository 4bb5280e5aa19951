# SPDX-License-Identifier: GPL-2.0-only
"""Itemised differences and single profiles as tables whose columns add up, also as printed."""

from collections.abc import Iterable, Sequence, Sized
from itertools import compress
from math import fsum
from typing import NamedTuple

from kassay.model.costs import DEFAULT, Cost, cost_of
from kassay.model.finding import REFUSED, Attribution, AttributionRow, Finding
from kassay.model.profile import FunctionCost, Profile
from kassay.model.reason_texts import reason_text
from kassay.model.records import Record
from kassay.model.report import Report
from kassay.model.texts import (
    Table,
    cells,
    counted,
    figures,
    machine_text,
    one_line,
    settings_text,
    shortened,
    table,
)
from kassay.model.units import format_change, format_decimals, format_number, places_of
from kassay.report.columns import Column, summed

TOP = 10  # rows where the whole table does not fit
_INSIDE = "└ "
_SOURCE = "in the sources"
_KINDS = {
    "iterations": "string iterations", "atomics": "atomics", "tlb": "TLB", "loads": "loads", "stores": "stores",
}  # fmt: skip
"""Columns of one kernel's table that are left out when no function shown has a value."""


class ItemisedDifference(Record, frozen=True, kw_only=True):
    """An attribution with what it explains: the two values, and whose they are."""

    base: str
    head: str
    metric: str
    unit: str
    base_value: float
    head_value: float
    itemised: Attribution
    where: str = ""
    """Place of the finding in words, as where() returns it."""

    @property
    def title(self) -> str:
        """Metric, kernels and unit on one line."""
        at = f" ({self.where})" if self.where else ""
        return one_line(f"{self.metric}: {self.base} against {self.head}{at} [{self.unit}]")


def differences(report: Report) -> tuple[ItemisedDifference, ...]:
    """Every itemised difference of a comparison that was not refused, primary metrics first."""
    admitted = [f for f in report.findings if f.verdict not in REFUSED]
    candidates = [difference(f, where(f, report)) for f in sorted(admitted, key=lambda f: not f.primary)]
    return tuple(d for d in candidates if d is not None)


def difference(f: Finding, at: str = "") -> ItemisedDifference | None:
    """A finding's difference by function; None if nothing is itemised."""
    if f.attribution is None or f.base_value is None or f.head_value is None:
        return None
    base, head = f.kernels
    return ItemisedDifference(
        base=base, head=head, metric=f.metric, unit=f.unit, base_value=f.base_value, head_value=f.head_value,
        itemised=f.attribution, where=at,
    )  # fmt: skip


def functions_text(f: Finding) -> str:
    """One sentence on a finding's functions, or the reason why there is none; "" if neither is known."""
    if f.attribution is not None:
        return one_line(f.attribution.sentence)
    return one_line(f"no itemised difference: {reason_text(f.profile_note)}") if f.profile_note is not None else ""


def functions_text_at(f: Finding, report: Report) -> str:
    """The same after the kernels and the point, where the report has several; a reason names them itself."""
    if f.attribution is None:
        return functions_text(f)
    pair = " to ".join(f.kernels) if len(report.kernels) > 2 else ""
    about = ", ".join(filter(None, (pair, where(f, report))))
    return one_line(f"{about}: {functions_text(f)}" if about else functions_text(f))


def where(f: Finding, report: Report) -> str:
    """Workload, settings and machine of a finding as far as the report has findings of more than one; else ""."""
    points: dict[str, Sized] = {
        f.workload: {finding.workload for finding in report.findings},
        settings_text(f.settings): {finding.settings for finding in report.findings},
        machine_text(f.machine): {finding.machine for finding in report.findings},
    }
    return ", ".join(text for text, several in points.items() if len(several) > 1)


def top_table(d: ItemisedDifference, limit: int = TOP, contexts: Sequence[str] = (), *, sources: bool = True) -> Table:
    """The largest changes; one row for the functions left out, one for what no function explains, and the total.

    limit: rows of functions that changed; 0 shows all functions. contexts: only functions of these. Members of a group
    stand indented below its root, the group's sum beside it. sources: a column of functions and lines of the sources.
    The row of those left out, or one of its own, takes the rounding, so that the printed column adds up.
    """
    rows = ordered(d.itemised)
    chosen = [row for row in rows if not contexts or row.context in contexts]
    shown = _limited(d, chosen, limit) if limit else chosen
    left = len(rows) - len(shown)
    figures_of, ends = _figures(d, shown, _more(left))
    families = _families(d.itemised)
    groups = any(id(row) in families for row in shown)
    strings = any(row.base_iterations != row.head_iterations for row in shown)
    texts = [_texts(families.get(id(row)), row, three) for row, three in zip(shown, figures_of, strict=False)]
    texts += [[name, *three, "", "", "", ""] for name, three in zip(ends, figures_of[len(shown) :], strict=True)]
    has_calls = any(row.base_calls or row.head_calls for row in rows)  # another tool's profile has shares, no calls
    columns_shown = [True] * 4 + [groups, has_calls, strings, sources and any(row.source for row in shown)]
    names = ["function", "base", "head", "difference", "with its group", "calls", "string iterations", _SOURCE]
    return _of_columns(d.title, names, texts, columns_shown)


def full_table(d: ItemisedDifference) -> Table:
    """Every function with its place, context, calls and string iterations, to two more digits."""
    rows, places = ordered(d.itemised), places_of(max(d.base_value, d.head_value)) + 2
    figures_of, ends = _figures(d, rows, "", places)
    texts = []
    for row, three in zip(rows, figures_of, strict=False):
        group = "" if row.group is None else str(row.group + 1)
        others = (row.base_calls, row.head_calls, row.base_iterations, row.head_iterations)
        source = source_text(row, places, most=0)
        texts.append((row.function, row.place or "-", row.context, *three, group, *map(format_number, others), source))
    blank = ("",) * 6
    texts += [(name, "", "", *three, *blank) for name, three in zip(ends, figures_of[len(rows) :], strict=True)]
    names = ["function", "place", "context", *figures("base", "head", "difference"), "group",
             *figures("calls base", "calls head", "string iterations base", "string iterations head")]  # fmt: skip
    names += [_SOURCE] if any(row.source for row in rows) else []
    lines = (cells(*text[: len(names)]) for text in texts)
    return table(f"{d.title}, every function", names, lines, folded=True)


def profile_table(
    profile: Profile, unit: str, limit: int, contexts: Sequence[str] = (), at: str = "", cost: Cost | None = None
) -> Table:
    """One kernel, most expensive functions first; share is of the whole. limit, contexts: as in top_table().

    at: which setting this is, where there are more. cost: what the values are sums of, by default instructions.
    """
    cost = cost or cost_of(DEFAULT)
    default = cost.name == DEFAULT  # only this cost is known of idle and unresolved time
    idle, unresolved = (profile.idle, profile.unresolved) if default else (0, 0)
    rows = sorted(
        ((cost.of(function) or 0, function) for function in profile.functions),
        key=lambda pair: (-pair[0], pair[1].function, pair[1].place, pair[1].context),
    )
    explained = sum(count for count, _ in rows)
    total = profile.ticks if default and profile.ticks is not None else explained + unresolved + idle
    chosen = [pair for pair in rows if not contexts or pair[1].context in contexts]
    shown = chosen[:limit] if limit else chosen
    left, per = len(rows) - len(shown), profile.operations
    ends = {"idle": idle} if idle else {}
    ends["unattributed"] = total - explained - idle
    column = Column([count / per for count, _ in shown], [end / per for end in ends.values()], total / per)
    (figures,), names = summed([column], list(ends), _more(left))
    texts = [
        (label(row), figure, format_change(count / total if total else None).lstrip("+"),
         format_number(row.calls / per), *(format_number((getattr(row, name) or 0) / per) for name in _KINDS))
        for (count, row), figure in zip(shown, figures, strict=False)
    ]  # fmt: skip
    blank = ("",) * (2 + len(_KINDS))
    texts += [(name, figure, *blank) for name, figure in zip(names, figures[len(shown) :], strict=True)]
    columns_shown = [True] * 4 + [any(getattr(row, name) for _, row in shown) for name in _KINDS]
    head = ("function", "cost", "share", "calls", *_KINDS.values())
    title = f"{profile.phase} on {profile.kernel}{f' ({at})' if at else ''} [{unit}]"
    return _of_columns(one_line(title), head, texts, columns_shown)


def _of_columns(title: str, head: Iterable[str], texts: Iterable[Iterable[str]], shown: Sequence[bool]) -> Table:
    """A table of the columns shown; all but the first, and places in the sources, are figures."""
    first, *others = compress(head, shown)
    if others[-1:] == [_SOURCE]:
        return table(title, (first, *figures(*others[:-1]), _SOURCE), (cells(*compress(text, shown)) for text in texts))
    return table(title, (first, *figures(*others)), (cells(*compress(text, shown)) for text in texts))


def ordered(itemised: Attribution) -> list[AttributionRow]:
    """Rows by the size of their change. A group, and a function with the one that it replaces, count by their sum and
    stay together, the root or the newer function first."""
    families = _families(itemised)
    alone = (_Family(row.delta, -1, False) for row in itemised.rows)
    ranked = [(families.get(id(row), own), row) for row, own in zip(itemised.rows, alone, strict=True)]
    return [row for family, row in sorted(ranked, key=lambda pair: (-abs(pair[0].delta), *pair[0][1:]))]


class _Family(NamedTuple):
    """Rows that are read by their sum."""

    delta: float
    number: int
    below: bool
    """True for all but the first row."""


def _families(itemised: Attribution) -> dict[int, _Family]:
    """The group of a row, or its pair with the function that it replaces, by the id of the row; none for others."""
    found = {}
    for index, row in enumerate(itemised.rows):
        if row.group is not None:
            group = itemised.groups[row.group]
            found[id(row)] = _Family(group.delta, row.group, row.function != group.root)
        if row.replaces is not None:
            old = itemised.rows[row.replaces]
            for one in (row, old):
                found[id(one)] = _Family(row.delta + old.delta, len(itemised.groups) + index, one is old)
    return found


def has_families(itemised: Attribution) -> bool:
    """True if some rows stand below another one."""
    return bool(_families(itemised))


def label(row: AttributionRow | FunctionCost) -> str:
    """A function, with its module and its context where these are not the kernel's own."""
    module = "" if row.place in ("kernel", "program", "") else f" [{row.place}]"
    context = "" if row.context in ("kernel", "") or row.function.startswith("[idle") else f" ({row.context})"
    return one_line(f"{row.function}{module}{context}")


_SIDES = ("base", "head", "delta")
_END = ("unattributed",)


def _column(d: ItemisedDifference, name: str, shown: Sequence[AttributionRow]) -> Column:
    """Figures of one side, or of the difference, with what no row explains."""
    figures = [getattr(row, name) for row in shown]
    if name == "delta":
        return Column(figures, [d.itemised.unattributed], d.itemised.total)
    total = d.base_value if name == "base" else d.head_value
    return Column(figures, [total - fsum(getattr(row, name) for row in d.itemised.rows)], total)


def _figures(
    d: ItemisedDifference, shown: Sequence[AttributionRow], rest: str, places: int = 0
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Texts of base, head and difference, of the rows shown and of those at the end; the names of the latter."""
    columns, names = summed([_column(d, name, shown) for name in _SIDES], _END, rest, places)
    found = [(base, head, _plus(delta)) for base, head, delta in zip(*columns, strict=True)]
    for index, row in enumerate(shown):  # a function that a side did not execute has no figure there
        base, head, delta = found[index]
        executed = row.base or row.base_calls, row.head or row.head_calls
        found[index] = base if executed[0] else "-", head if executed[1] else "-", delta
    return found, names


def _texts(family: _Family | None, row: AttributionRow, three: tuple[str, str, str]) -> list[str]:
    inside = family is not None and family.below
    digits = len(three[2].partition(".")[2])
    together = _plus(format_decimals(family.delta, digits)) if family is not None and not inside else ""
    calls, iterations = _both(row.base_calls, row.head_calls), _both(row.base_iterations, row.head_iterations)
    name = f"{_INSIDE if inside else ''}{label(row)}"
    return [name, *three, together, calls, iterations, source_text(row, digits)]


def source_text(row: AttributionRow, digits: int, most: int = 2) -> str:
    """ "change_pte_range +40 at mm/mprotect.c:123": the parts of a row by function of the sources, largest first."""
    changed = [part for part in row.source if round(part.delta, digits)]
    shown = changed or list(row.source[:1])
    texts = shortened(
        [
            f"{part.function}{f' {_plus(format_decimals(part.delta, digits))}' if part in changed else ''}"
            f"{f' at {part.file}:{part.line}' if part.file and part.line else ''}"
            for part in shown
        ],
        most or len(shown),
    )
    return one_line(", ".join(texts))


def places_in_sources(d: ItemisedDifference, limit: int = TOP, contexts: Sequence[str] = ()) -> tuple[str, ...]:
    """Places in the sources behind the rows of top_table(), one text for each row that has some."""
    rows = [row for row in ordered(d.itemised) if not contexts or row.context in contexts]
    shown = _changed(d, rows)[:limit] if limit else rows
    places = places_of(max(d.base_value, d.head_value))
    return tuple(f"{label(row)}: {source_text(row, places, most=0)}" for row in shown if row.source)


def _changed(d: ItemisedDifference, rows: Sequence[AttributionRow]) -> list[AttributionRow]:
    """Rows whose difference is more than a rounded zero, and the first rows of their groups."""
    places = places_of(max(d.base_value, d.head_value))
    changed = [row for row in rows if round(row.delta, places)]
    families = _families(d.itemised)
    numbers = {families[id(row)].number for row in changed if id(row) in families}
    first = {id(row) for row in rows if id(row) in families and not families[id(row)].below
             and families[id(row)].number in numbers}  # fmt: skip
    return [row for row in rows if row in changed or id(row) in first]


def _limited(d: ItemisedDifference, rows: Sequence[AttributionRow], limit: int) -> list[AttributionRow]:
    """The first rows that changed. A function does not stand there without the one that it replaces."""
    changed = _changed(d, rows)
    last = changed[limit - 1] if limit <= len(changed) else None
    return changed[: limit + (last is not None and last.replaces is not None)]


def _both(base: float, head: float) -> str:
    texts = format_number(base), format_number(head)
    return texts[0] if texts[0] == texts[1] else " → ".join(texts)


def _plus(text: str) -> str:
    """With its sign; what rounds to zero has none."""
    if not text.strip("-0. "):
        return text.lstrip("-")
    return text if text.startswith("-") else f"+{text}"


def _more(count: int) -> str:
    return counted(count, "more function") if count else ""
