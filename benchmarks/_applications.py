# SPDX-License-Identifier: GPL-2.0-only
"""The tables of docs/results/applications-found.md, made of answers about applications."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import structs

from kassay.labs.notice.model import NOTICED, Notice
from kassay.labs.notice.report import NOTICE
from kassay.model.finding import Attribution, Finding, Ladder
from kassay.model.kernel_share import KernelShare
from kassay.model.report import Report

_LARGEST = 10
_PARTS = 6
_KERNEL = ("kernel", "interrupt")


def shares(reports: Sequence[Report]) -> str:
    """A row for each application: instructions an operation, the kernel's share on each kernel, and the changes."""
    kernels = [point.kernel for point in _ladder(reports[0]).points]
    heads = [f"{_short(kernel)}, 10⁶ | kernel" for kernel in kernels]
    lines = [f"| application | per | {' | '.join(heads)} | changes | runs alike |",
             f"| --- | --- |{' ---: | ---: |' * len(kernels)} --- | --- |"]  # fmt: skip
    for report in reports:
        ladder = _ladder(report)
        of = {share.label: share for share in report.shares}
        cells = [f"{_millions(point.value)} | {_percent(_share(of.get(point.kernel)))}" for point in ladder.points]
        unit = ladder.unit.partition("/")[2]
        changes_ = ", ".join(_signed(f.change or 0) for f in _neighbours(report))
        lines.append(f"| {_name(report)} | {unit} | {' | '.join(cells)} | {changes_} | {_alike(report)} |")
    return "\n".join(lines)


def parts(reports: Iterable[Report]) -> str:
    """The change of each application in user code and in the kernel, in percent of all its instructions."""
    lines = ["| application | from | to | change | of it user | kernel | interrupts |",
             "| --- | --- | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for report in reports:
        for finding in _neighbours(report):
            whole, found = finding.base_value, finding.attribution
            if not whole or found is None:
                continue
            sums = [_signed(_sum(found, context) / whole) for context in ("user", *_KERNEL)]
            pair = f"{_short(finding.base)} | {_short(finding.head)}"
            lines.append(f"| {_name(report)} | {pair} | {_signed(finding.change or 0)} | {' | '.join(sums)} |")
    return "\n".join(lines)


def functions(reports: Iterable[Report]) -> str:
    """The kernel's ten largest functions of the last kernel for each, in percent of all its instructions."""
    lines = ["| application | ten largest functions of the kernel, of all instructions |", "| --- | --- |"]
    for report in reports:
        finding = _neighbours(report)[-1]
        if finding.attribution is None or not finding.head_value:
            lines.append(f"| {_name(report)} | no profile that may be used |")
            continue
        rows = sorted((r for r in finding.attribution.rows if r.context in _KERNEL), key=lambda row: -row.head)
        named = (f"{row.function} {_percent(row.head / finding.head_value)}" for row in rows[:_LARGEST])
        lines.append(f"| {_name(report)} | {', '.join(named)} |")
    return "\n".join(lines)


def changes(reports: Iterable[Report]) -> str:
    """Every change to the kernel before that an application notices, with the functions that make most of it."""
    lines = ["| application | from | to | change | functions, in percent of all instructions |",
             "| --- | --- | --- | ---: | --- |"]  # fmt: skip
    for report in reports:
        for finding in _neighbours(report):
            if abs(finding.change or 0) < NOTICED or finding.attribution is None or not finding.base_value:
                continue
            largest = ", ".join(_largest(finding.attribution, finding.base_value))
            pair = f"{_short(finding.base)} | {_short(finding.head)}"
            lines.append(f"| {_name(report)} | {pair} | {_signed(finding.change or 0)} | {largest} |")
    return "\n".join(lines)


def entries(reports: Iterable[Report]) -> str:
    """Table of the kernel's instructions by entry, on the last kernel, in percent of all instructions of the
    application."""
    lines = ["| application | user | page faults | largest entries into the kernel |", "| --- | ---: | ---: | --- |"]
    for report in reports:
        share = report.shares[-1]
        found = share.entries or ()
        faults = sum(e.count if e.kind == "fault" else e.in_faults for e in found)
        largest = (f"{e.name or e.kind} {_percent(e.count / share.count)}" for e in found[:_PARTS])
        row = (_name(report), _percent(share.user / share.count), _percent(faults / share.count), ", ".join(largest))
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def noticed(notices: Iterable[Notice]) -> str:
    """The answer, the tables and the notes of each finding, without commands that have paths of this host."""
    render = NOTICE.form("markdown").render
    return "\n".join(render(structs.replace(notice, commands=())) for notice in notices)


def cost(reports: Sequence[Report]) -> str:
    """How many runs there were, and the wall seconds of one by application."""
    runs = sum(report.runs.ok for report in reports)
    walls = ((_name(r), r.wall.boot_s + r.wall.quiescence_s + r.wall.workload_s + r.wall.shutdown_s) for r in reports)
    each = ", ".join(f"{name} {wall:.0f} s" for name, wall in walls)
    return f"{runs} runs of {len(reports)} applications. Wall time of a run, median: {each}."


def _ladder(report: Report) -> Ladder:
    return next(ladder for ladder in report.ladders if ladder.primary)


def _neighbours(report: Report) -> tuple[Finding, ...]:
    pairs = set(pairwise(point.kernel for point in _ladder(report).points))
    return tuple(f for f in report.findings if f.primary and (f.sides[0].kernel, f.sides[1].kernel) in pairs)


def _share(found: KernelShare | None) -> float | None:
    return (found.kernel + found.interrupt) / found.count if found is not None else None


def _sum(found: Attribution, context: str) -> float:
    return sum(row.delta for row in found.rows if row.context == context)


def _alike(report: Report) -> str:
    """Largest distance between the runs of one kernel, or "to the digit" if all agree."""
    runs = [point.side.runs for point in _ladder(report).points]
    if any(len(values) < 2 for values in runs):
        return "not shown"
    apart = max(max(values) / min(values) - 1 for values in runs)
    return f"{100 * apart:.2g} % apart" if apart else "to the digit"


def _largest(found: Attribution, whole: float) -> Iterator[str]:
    """The largest functions and groups of functions that exchanged code."""
    named = [(_group(g.functions), g.delta) for g in found.groups]
    named += [(f"{row.function} (user)" if row.context == "user" else row.function, row.delta)
              for row in found.rows if row.group is None]  # fmt: skip
    for name, delta in sorted(named, key=lambda part: -abs(part[1]))[:_PARTS]:
        yield f"{name} {_signed(delta / whole)}"


def _group(names: Sequence[str]) -> str:
    return f"{names[0]} with {len(names) - 1} callee{'s' if len(names) > 2 else ''}"


def _name(report: Report) -> str:
    return _ladder(report).workload


def _short(kernel: str) -> str:
    return kernel.removeprefix("debian:")


def _millions(value: float | None) -> str:
    return "-" if value is None else f"{value / 1e6:.4g}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %" if share < 0.0995 else f"{100 * share:.1f} %"


def _signed(share: float) -> str:
    return f"{100 * share:+.2f} %"
