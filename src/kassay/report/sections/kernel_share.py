# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's share of what a program executes, by system call and fault, and by function."""

from collections.abc import Iterator, Sequence

from kassay.model.kernel_share import DIRECT, ENTRIES, LARGEST, KernelShare
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_decimals, format_number, format_signed, places_of
from kassay.report.document import LETTER, PAGE, Section, filled, section
from kassay.report.mail.names import mail_names
from kassay.report.sections.brief import first_tables

_NAMED = 3  # entries that a sentence names
_ROWS = 12  # entries of a table that is cut
_SEVERAL = 0.05  # of the whole: with two such entries a workload's kernel share is worth a table
_LEAST = 0.0005  # of the whole: an entry below it is not named in a sentence

Group = tuple[KernelShare, ...]
"""The shares of all kernels, of one workload, setting and machine."""


def program_groups(report: Report) -> tuple[Group, ...]:
    """Shares of users' programs and of applications, a group for each point."""
    named = {use.name for use in report.experiment.workloads if use.program}
    return tuple(group for group in _groups(report) if group[0].workload in named)


def mixed_groups(report: Report) -> tuple[Group, ...]:
    """The same, with all workloads that enter the kernel in several ways."""
    programs = program_groups(report)
    return tuple(group for group in _groups(report) if group in programs or any(map(_mixed, group)))


def _groups(report: Report) -> tuple[Group, ...]:
    return tuple(map(tuple, grouped((share.point, share) for share in report.shares).values()))


def _mixed(share: KernelShare) -> bool:
    entries = [entry for entry in share.entries or () if entry.kind in DIRECT]
    return sum(entry.count >= _SEVERAL * share.count for entry in entries) > 1


def share_sentence(share: KernelShare, *, name: str = "") -> str:
    """ "Of the instructions per C file of gcc_compile on 7.3, 6.20 % are the kernel's: page fault 3.10 %, execve
    1.20 %, exit_group 0.50 %, others 1.40 %." name: what the kernel is called; its label otherwise."""
    rest = sum(entry.count for entry in share.entries or ())
    parts = []
    for entry in (share.entries or ())[:_NAMED]:
        if entry.count >= _LEAST * share.count:
            parts.append(f"{entry.text} {_percent(entry.count, share)}")
            rest -= entry.count
    parts += [f"others {_percent(rest, share)}"] if parts and rest >= _LEAST * share.count else []
    operation = share.unit.partition("/")[2] or "operation"
    whole = f"Of the instructions per {operation} of {share.workload} on {name or share.label}"
    kernel = f"{_percent(share.of_kernel, share)} are the kernel's"
    return one_line(f"{whole}, {kernel}{': ' if parts else ''}{', '.join(parts)}.")


def entries_table(group: Group, *, limit: int = _ROWS) -> Table:
    """Shares of all instructions by entry into the kernel, a kernel a column. The last column itemises the difference
    of the first kernel and the last, in the metric's unit. limit: rows of entries; 0 shows all."""
    sides = [share.by_entry() for share in group]
    keys = list(dict.fromkeys(key for side in sides for key in side))
    keys.sort(key=lambda key: -max(_per(s, e[key].count) for s, e in zip(group, sides, strict=True) if key in e))
    shown, left = (keys[:limit], keys[limit:]) if limit else (keys, [])
    rows = [_row("user code", group, [share.user for share in group])]
    rows.append(_row("kernel", group, [share.of_kernel for share in group]))
    for key in shown:
        counts = [side[key].count if key in side else 0 for side in sides]
        name = next(side[key].text for side in sides if key in side)
        rows.append(_row(f"  {name}", group, counts, _times(key, group)))
    if left:
        rows.append(_row(f"  {len(left)} more", group, [sum(e[key].count for key in left if key in e) for e in sides]))
    for name in ("other tasks", "idle", "unresolved"):
        counts = [getattr(share, name.partition(" ")[0]) for share in group]
        rows += [_row(name, group, counts)] if any(counts) else []
    rows.append(_row("all", group, [share.count for share in group]))
    first = group[0]
    difference = figures("difference") if len(group) > 1 else ()
    unit = f"; difference: {one_line(first.unit)}" if difference else ""
    operation = one_line(first.unit.partition("/")[2] or "operation")
    columns = ("for", *figures(*(share.label for share in group)), *difference, *figures(f"times per {operation}"))
    return table(f"Whose instructions: {_at(first)} [% of all{unit}]", columns, (cells(*row) for row in rows))


def _row(name: str, group: Group, counts: Sequence[int], times: str = "") -> tuple[str, ...]:
    """counts: one for each kernel of the group."""
    places = places_of(max(_per(share, share.count) for share in group))
    change = _per(group[-1], counts[-1]) - _per(group[0], counts[0])
    percents = (_percent(count, share) for count, share in zip(counts, group, strict=True))
    return (name, *percents, *([format_signed(change, places)] if len(group) > 1 else []), times)


def functions_table(group: Group) -> Table:
    """The largest functions of the last kernel, with their share of all instructions; the other kernels have a value
    where the function is among their largest, too."""
    last = group[-1]
    largest = [{function.function: function for function in share.functions} for share in group]
    rows = []
    for function in last.functions:
        shares = (_percent(side[function.function].count, share) if function.function in side else "-"
                  for side, share in zip(largest, group, strict=True))  # fmt: skip
        rows.append((function.function, *shares, format_number(function.calls / last.operations)))
    operation = one_line(last.unit.partition("/")[2] or "operation")
    title = f"Largest functions of the kernel: {_at(last)} [% of all; -: not among the {LARGEST} largest]"
    kernels = figures(*(share.label for share in group), f"calls per {operation}, {last.label}")
    return table(title, ("function", *kernels), (cells(*row) for row in rows))


def overview_share_table(report: Report) -> Table | None:
    """Programs by kernels: the kernel's share of each, with the largest entries on the last kernel."""
    groups = program_groups(report)
    if not groups:
        return None
    labels = list(dict.fromkeys(share.label for group in groups for share in group))
    rows = []
    for group in groups:
        of = {share.label: share for share in group}
        last = group[-1]
        largest = [f"{e.text} {_percent(e.count, last)}" for e in (last.entries or ())[:_NAMED]]
        faults = sum(e.in_faults for e in last.entries or ())
        shares = (_percent(of[at].of_kernel, of[at]) if at in of else "-" for at in labels)
        in_faults = _percent(faults, last) if last.entries is not None else "-"
        rows.append((_name(group, groups), *shares, in_faults, ", ".join(largest)))
    title = "The kernel's share of each program [% of all its instructions]"
    last_label = labels[-1]
    columns = ("workload", *figures(*labels, "in faults"), f"largest on {last_label}")
    return table(title, columns, (cells(*map(one_line, row)) for row in rows))


def kinds_text() -> tuple[str, ...]:
    """The meaning of each kind of entry, a line each."""
    return tuple(f"{kind}: {meaning}." for kind, meaning in ENTRIES.items())


def _name(group: Group, groups: Sequence[Group]) -> str:
    first = group[0]
    if sum(other[0].workload == first.workload for other in groups) == 1:
        return first.workload
    return f"{first.workload} ({settings_text(first.settings)}; {machine_text(first.machine)})"


def _at(share: KernelShare) -> str:
    settings = settings_text(share.settings)
    return one_line(f"{share.workload}{f' ({settings})' if share.settings else ''}")


def _times(key: tuple[str, str], group: Group) -> str:
    """How often it was entered; "312 → 290" where the first kernel and the last differ."""
    texts = []
    for share in (group[0], group[-1]):
        entry = share.by_entry().get(key)
        texts.append("-" if entry is None or not entry.times else format_number(entry.times / share.operations))
    return " → ".join(dict.fromkeys(texts))


def _per(share: KernelShare, count: int) -> float:
    return count / share.operations


def _percent(count: int, share: KernelShare) -> str:
    if not share.count or not count:
        return "0 %" if share.count else "-"
    percent = 100 * count / share.count
    if percent < 0.0005:
        return "<0.001 %"
    return f"{format_decimals(percent, 1 if percent >= 10 else 2 if percent >= 0.1 else 3)} %"


_LETTER_PROGRAMS = 4


def shares(report: Report) -> Iterator[Section]:
    """How much of what was executed is the kernel's, and for whom; a page of an overview has a table of its own."""
    programs = program_groups(report)
    yield from first_tables(report, map(entries_table, programs))
    mixed = () if report.overview is not None else mixed_groups(report)
    yield from filled(
        "Whose instructions", text=kinds_text(),
        items=(share_sentence(share) for group in mixed for share in group),
        tables=(
            table for group in mixed
            for table in (entries_table(group, limit=0), functions_table(group))
        ),
        readers=(PAGE,),
    )  # fmt: skip
    name_of = mail_names(report)
    ends = (
        " ".join(share_sentence(share, name=name_of[share.label]) for share in (group[0], group[-1]))
        for group in programs[:_LETTER_PROGRAMS]
    )
    yield section("", text=ends, readers=(LETTER,))
