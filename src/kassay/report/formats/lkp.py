# SPDX-License-Identifier: GPL-2.0-only
"""The kernel test robot's comparison table, with n; see docs/formats.md for what it leaves out on purpose."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, pstdev

import msgspec

from kassay.model.experiment import labels
from kassay.model.finding import REFUSED, Attribution, Finding, Side
from kassay.model.kernel import KernelIdentity
from kassay.model.records import Record
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.model.units import format_bytes
from kassay.report.formats import Format
from kassay.report.series import MetricGroup, MetricSeries, groups
from kassay.report.tables import refusals
from kassay.report.words import derived, spoken_names

_PERCENT_SHOWN = 2.0  # spreads up to this many percent have no figure in the table
_WHOLE_FROM, _SCIENTIFIC_ABOVE, _COARSE_FROM = 1000, 1e8, 1e5


class Mean(Record, frozen=True, kw_only=True):
    """One kernel's figure. deviation: population standard deviation over mean; None when not known. n: None when not
    known."""

    value: float | None
    deviation: float | None = None
    n: int | None = None


class LkpRow(Record, frozen=True, kw_only=True):
    """A key with the figure of the first kernel and of each further one. changes: against the first, in percent or, for
    an absolute() key, in the key's own unit; None where there is none to give."""

    key: str
    base: Mean
    heads: tuple[Mean, ...]
    changes: tuple[float | None, ...]


def row(key: str, base: Mean, heads: tuple[Mean, ...]) -> LkpRow:
    """The row of these figures, its changes computed from them."""
    return LkpRow(key=key, base=base, heads=heads, changes=tuple(_change(key, base.value, one.value) for one in heads))


def absolute(key: str) -> bool:
    """Whether a key is a share, whose change is a difference and not a ratio."""
    return key.startswith("perf-profile") or key.endswith("%")


def line(one: LkpRow, counts: tuple[int | None, ...]) -> str:
    """The row as printed. counts: n of each column as said above the table; a row that differs says so itself."""
    text = _mean(one.base)
    for head, change in zip(one.heads, one.changes, strict=True):
        text += _changed(one.key, change) + _mean(head)
    own = tuple(mean.n for mean in (one.base, *one.heads))
    differs = any(n is not None and n != usual for n, usual in zip(own, counts, strict=True))
    texts = ["-" if n is None else str(n) for n in own]
    texts = texts[:1] if len(set(texts)) == 1 else texts
    return f"{text}  {one.key}" + (f"  (n={', '.join(texts)})" if differs else "")


def _change(key: str, base: float | None, head: float | None) -> float | None:
    if base is None or head is None:
        return None
    if absolute(key):
        return head - base
    return (head / base - 1) * 100 if base else None


def _mean(mean: Mean) -> str:
    return f"{_figure_text(mean.value):>10}{_spread(mean.deviation)}"


def _figure_text(value: float | None) -> str:
    if value is None:
        return "-"
    if abs(value) > _SCIENTIFIC_ABOVE:
        return f"{value:.4g}"
    return f"{value:.2f}" if abs(value) < _WHOLE_FROM else str(int(value))


def _spread(deviation: float | None) -> str:
    percent = None if deviation is None else deviation * 100
    return " " * 6 if percent is None or percent <= _PERCENT_SHOWN else f" ±{int(percent):3d}%"


def _changed(key: str, change: float | None) -> str:
    if change is None:
        return f"{'-':>10}  "
    figure = f"{change:+.1f}" if abs(change) < _COARSE_FROM else f"{change:+.2g}"
    return f"{figure:>10}{'  ' if absolute(key) else '% '}"


_FIRST, _NEXT = 16, 27  # columns of the first kernel, of each further one
_RULE, _POINTER = "=" * 89, "\\"


class Head(Record, frozen=True, kw_only=True):
    """What stands above the rows. axes: (name, value). kernels: (id, name and subject for the commit block)."""

    axes: tuple[tuple[str, str], ...]
    kernels: tuple[tuple[str, str], ...]


def ordered(rows: Sequence[LkpRow], first: str = "") -> tuple[LkpRow, ...]:
    """Small families of keys before large ones, then by key, shares of a profile by their change.

    first: the family (what stands before the first dot) that comes first, however large: the workload's own.
    """
    sizes = Counter(_family(row) for row in rows)

    def rank(row: LkpRow) -> tuple[int, str, float]:
        words = row.key.split(".")
        profile = words[0] == "perf-profile"
        change = next((change for change in row.changes if change is not None), 0.0)
        size = 0 if first and _family(row) == first else sizes[_family(row)]
        return (size, ".".join(words[:2]) if profile else row.key, change)

    return tuple(sorted(rows, key=rank))


def table(head: Head, rows: Sequence[LkpRow]) -> str:
    """The whole table, one line each, ending with a newline."""
    counts = _usual(rows, len(head.kernels))
    lines = [*_axes(head), "commit: ", *(f"  {text}" for _, text in head.kernels), "", *_columns(head, counts)]
    lines += [line(row, counts) for row in rows]
    return "\n".join(lines) + "\n"


def _family(one: LkpRow) -> str:
    return one.key.partition(".")[0]


def _axes(head: Head) -> list[str]:
    if not head.axes:
        return []
    names, values = ("/".join(part) for part in zip(*sorted(head.axes), strict=True))
    return [_RULE, f"{names}:", f"  {values}", ""]


def _columns(head: Head, counts: tuple[int | None, ...]) -> list[str]:
    """Ids, dashes, the line of n when any is known, what the columns are, and where they point."""
    further = len(head.kernels) - 1
    widths = [_FIRST, *[_NEXT] * further]
    # A name that is longer than its column loses its end, as a hash may.
    ids = [f"{name[:width]:>{width}}" for (name, _), width in zip(head.kernels, widths, strict=True)]
    texts = ["" if n is None else f"n={n}" for n in counts]
    known = [" ".join(f"{text:>{w}}" for text, w in zip(texts, widths, strict=True))] if any(texts) else []
    return [
        " ".join(ids) + " ",
        " ".join("-" * width for width in widths) + " ",
        *known,
        f"{'%stddev':>16}" + f"{'%change':>12}{'%stddev':>16}" * further,
        f"{_POINTER:>14}  " + f"{'|':>9}{_POINTER:>17}  " * further,
    ]


def _usual(rows: Sequence[LkpRow], kernels: int) -> tuple[int | None, ...]:
    """n of each column in the first row that knows it of all; None where no row does."""
    known = (tuple(mean.n for mean in (row.base, *row.heads)) for row in rows)
    return next((counts for counts in known if None not in counts), (None,) * kernels)


_SHARES = "perf-profile.self.instructions."
_SMALLEST = 0.05  # percent of the whole on some kernel: below that a function has no row, as in the robot's table
_UNSAFE = re.compile(r"[^-A-Za-z0-9+=:.%,_]")
_COMPILER = re.compile(r"(gcc|clang)\D*(?:-(\d+))?.*?(\d+)\.\d+")


def tables(report: Report, found: Sequence[MetricGroup]) -> tuple[str, ...]:
    """One table for each workload, setting and machine; imported rows, each a workload of its own, are one together."""
    if report.lkp_header is not None:
        shown = (series for group in found for series in group.series if not derived(row.side for row in series.rows))
        rows = [_series_row(series, imported=True) for series in shown]
        return (table(_imported_head(report), ordered([row for row in rows if row is not None])),)
    return tuple(_table(report, group) for group in found)


def _table(report: Report, group: MetricGroup) -> str:
    rows = [_series_row(series, imported=False) for series in group.series]
    known = [row for row in rows if row is not None] + _shares(report, group)
    return table(_head(report, group), ordered(known, group.lead.workload or ""))


def _series_row(series: MetricSeries, *, imported: bool) -> LkpRow | None:
    """None where no kernel has a value: the reason stands under the table."""
    base, *heads = (_figure(one.side, one.value, one.n, printed=imported) for one in series.rows)
    if all(mean.value is None for mean in (base, *heads)):
        return None
    whole = imported and "." in series.metric  # a key of the robot's own
    key = one_line(series.metric) if whole else f"{_safe(series.workload or '-')}.{_safe(series.metric)}"
    made = row(key, base, tuple(heads))
    printed = tuple(_printed(one.side.change_text) for one in series.rows[1:])
    return msgspec.structs.replace(made, changes=printed) if imported and None not in printed else made


def _printed(change: str) -> float | None:
    """The figure of "+8.4%" or "+3.4"; None where nothing was printed."""
    try:
        return float(change.strip().rstrip("%"))
    except ValueError:
        return None


def _figure(side: Side, value: float | None, n: int, *, printed: bool) -> Mean:
    """The mean of the boots, as the robot has it; where only a mean was imported, that.

    printed: the spread stands for one of at least as many percent, and less than one more: the robot cuts it off.
    """
    if not side.runs:
        spread = side.spread + 0.005 if printed and side.spread is not None else side.spread
        return Mean(value=value, deviation=spread, n=n or None)
    mean = fmean(side.runs)
    deviation = pstdev(side.runs) / mean if mean > 0 and math.isfinite(mean) else None
    return Mean(value=mean, deviation=deviation, n=len(side.runs))


def _shares(report: Report, group: MetricGroup) -> list[LkpRow]:
    """Each function's share of the primary metric's cost, in percent, kernel by kernel; from one boot of each."""
    names = [kernel.kernel for kernel in group.lead.rows]
    lead = (group.lead.workload, group.lead.settings, group.lead.machine, group.lead.metric)
    found: dict[str, dict[str, float]] = {}
    for f in report.findings:
        if f.attribution is not None and f.verdict not in REFUSED and (*f.point, f.metric) == lead:
            found |= _profiles(f, f.attribution)
    if any(name not in found for name in names):
        return []
    functions = dict.fromkeys(function for shares in found.values() for function in shares)
    rows = []
    for function in functions:
        base, *heads = (Mean(value=found[name].get(function, 0.0), n=1) for name in names)
        if max(mean.value or 0.0 for mean in (base, *heads)) >= _SMALLEST:
            rows.append(row(f"{_SHARES}{one_line(function)}", base, tuple(heads)))
    return rows


def _profiles(f: Finding, itemised: Attribution) -> dict[str, dict[str, float]]:
    """Of both kernels: percent of the value by function; contexts and modules are summed."""
    found = {}
    for side, name, value in zip(f.sides, ("base", "head"), (f.base_value, f.head_value), strict=True):
        shares: dict[str, float] = {}
        for row in itemised.rows:
            shares[row.function] = shares.get(row.function, 0.0) + getattr(row, name) / value * 100 if value else 0.0
        found[side.kernel] = shares
    return found


def _imported_head(report: Report) -> Head:
    header = report.lkp_header
    assert header is not None
    kernels = ((header.base_id, header.base_subject), (header.head_id, header.head_subject))
    texts = [(one_line(i), f"{one_line(i)[:10]}{_subject(subject)}") for i, subject in kernels]
    axes = tuple((one_line(name), one_line(value)) for name, value in header.axes)
    return Head(axes=axes, kernels=tuple(texts))


def _head(report: Report, group: MetricGroup) -> Head:
    lead = group.lead
    axes = {"arch": lead.machine.arch, "clock": lead.machine.clock, "testcase": lead.workload or "-"}
    axes |= {"cpus": str(lead.machine.cpus)} if lead.machine.cpus is not None else {}
    axes |= {"memory": format_bytes(lead.machine.memory_bytes)} if lead.machine.memory_bytes is not None else {}
    axes |= {setting.name: setting.value for setting in (*lead.machine.chosen, *lead.settings)}
    if built := [compiler for kernel in report.kernels if (compiler := _compiler(kernel))]:
        axes["compiler"] = ",".join(dict.fromkeys(built))
    kernels = tuple(_kernel(report, row.kernel) for row in lead.rows)
    return Head(axes=tuple((_safe(name), _safe(value)) for name, value in axes.items()), kernels=kernels)


def _kernel(report: Report, label: str) -> tuple[str, str]:
    """Its short name, and for the commit block what package or release it is."""
    full = labels(report.experiment)
    name = dict(zip(full, spoken_names(report.experiment), strict=True)).get(label, label)
    identity = dict(zip(full, report.kernels, strict=False)).get(label)
    about = ""
    if identity is not None:
        version = identity.package_version
        about = f"{identity.package or identity.release} {version}" if version else identity.release
    return one_line(name), f"{one_line(name)}{_subject(about if about != name else '')}"


def _subject(text: str) -> str:
    return f' ("{one_line(text)}")' if text else ""


def _compiler(kernel: KernelIdentity) -> str | None:
    """ "gcc-14", as the robot writes it."""
    match = _COMPILER.search(kernel.compiler or "")
    return f"{match[1]}-{match[2] or match[3]}" if match else None


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", one_line(text)) or "-"


def render(report: Report) -> str:
    """The tables, and below them why a comparison has no rows or no verdict."""
    parts = [*tables(report, groups(report))]
    refused = refusals(report)
    if refused:
        parts.append("No verdict:\n" + "\n".join(f"  {reason}" for reason in refused) + "\n")
    return "\n".join(parts) or "No comparison was made.\n"


FORMAT = Format(
    name="lkp", suffix=".lkp", summary="the kernel test robot's table, with n", render=render, whole=False
)  # fmt: skip
