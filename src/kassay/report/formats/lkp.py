# SPDX-License-Identifier: GPL-2.0-only
"""The kernel test robot's comparison table of a report; docs/reference/formats.md has what it leaves out on purpose."""

import math
import re
from collections.abc import Sequence
from statistics import fmean, pstdev

import msgspec

from kassay.model.experiment import labels
from kassay.model.finding import Side
from kassay.model.kernel import KernelIdentity
from kassay.model.report import Counted, Report
from kassay.model.texts import one_line
from kassay.model.units import format_bytes
from kassay.report.formats import Format
from kassay.report.lkp_table import Head, LkpRow, Mean, mean_text, ordered, row, table
from kassay.report.sections.refused import refusals
from kassay.report.series import MetricGroup, MetricSeries, groups, refusals_before
from kassay.report.shares import profile_shares
from kassay.report.words import derived, names_by_label

_UNSAFE = re.compile(r"[^-A-Za-z0-9+=:.%,_]")
_COMPILER = re.compile(r"(gcc|clang)\D*(?:-(\d+))?.*?(\d+)\.\d+")


def tables(report: Report, metric_groups: Sequence[MetricGroup]) -> tuple[str, ...]:
    """One table for each workload, setting and machine; imported rows, each a workload of its own, are one together."""
    if report.lkp_header is not None:
        every = (series for group in metric_groups for series in group.series)
        shown = (series for series in every if not derived(row.side for row in series.rows))
        rows = [_series_row(series, imported=True) for series in shown]
        return (table(_imported_head(report), ordered([row for row in rows if row is not None])),)
    return tuple(_table(report, group) for group in metric_groups)


def _table(report: Report, group: MetricGroup) -> str:
    rows = [_series_row(series, imported=False) for series in group.series]
    filled = [row for row in rows if row is not None]
    more = [*_counters(report, group), *_shares(report, group)] if filled else []
    filled += [kept for each in more if (kept := _without_refused(each, group.lead)) is not None]
    return table(_head(report, group), ordered(filled, group.lead.workload or ""))


def _series_row(series: MetricSeries, *, imported: bool) -> LkpRow | None:
    """None where no kernel has a value, or none that may be compared: the reason stands under the table."""
    base, *heads = (
        _figure(kernel_row.side, kernel_row.value, kernel_row.n, printed=imported) for kernel_row in series.rows
    )
    if all(mean.value is None for mean in (base, *heads)):
        return None
    whole = imported and "." in series.metric  # a key of the robot's own
    key = one_line(series.metric) if whole else f"{_safe(series.workload or '-')}.{_safe(series.metric)}"
    lkp_row = row(key, base, tuple(heads))
    if not imported:
        return _without_refused(lkp_row, series)
    printed = tuple(_printed(kernel_row.side.change_text) for kernel_row in series.rows[1:])
    return msgspec.structs.replace(lkp_row, changes=printed) if None not in printed else lkp_row


def _without_refused(lkp_row: LkpRow, series: MetricSeries) -> LkpRow | None:
    """The row without the figures of kernels that may not be compared with the first; None if no other is left."""
    if series.rows[0].value is None:
        return lkp_row
    marks = refusals_before(series.rows)[1:]
    heads = tuple(
        msgspec.structs.replace(head, value=None, deviation=None) if mark else head
        for head, mark in zip(lkp_row.heads, marks, strict=True)
    )
    if heads != lkp_row.heads and all(head.value is None for head in heads):
        return None
    return row(lkp_row.key, lkp_row.base, heads)


def _printed(change: str) -> float | None:
    """The figure of "+8.4%" or "+3.4"; None where nothing was printed."""
    try:
        return float(change.strip().rstrip("%"))
    except ValueError:
        return None


def _figure(side: Side, value: float | None, n: int, *, printed: bool) -> Mean:
    """The mean of the boots, as the robot has it; the imported mean where there are no single values.

    printed: the spread was cut off to whole percent by the robot; half a percent is added.
    """
    if not side.runs:
        spread = side.spread + 0.005 if printed and side.spread is not None else side.spread
        return Mean(value=value, deviation=spread, n=n or None)
    return _mean_of(side.runs)


def _mean_of(runs: Sequence[float]) -> Mean:
    mean = fmean(runs)
    deviation = pstdev(runs) / mean if mean > 0 and math.isfinite(mean) else None
    return Mean(value=mean, deviation=deviation, n=len(runs))


def _shares(report: Report, group: MetricGroup) -> list[LkpRow]:
    """Shares of the primary metric's cost, in percent; from one boot of each kernel."""
    profile = profile_shares(report, group)
    means = {key: [Mean(value=share, n=1) for share in shares] for key, shares in profile.items()}
    return [row(key, base, tuple(heads)) for key, (base, *heads) in means.items()]


def _counters(report: Report, group: MetricGroup) -> list[LkpRow]:
    """The kernels' counters in whole figures of each boot. A level that is printed the same for all kernels has no
    row."""
    names = [kernel_row.kernel for kernel_row in group.lead.rows]
    lead = (group.lead.workload, group.lead.settings, group.lead.machine)
    point = next((p for p in report.counters if p.point == lead and {*names} <= {*p.kernels}), None)
    if point is None:
        return []
    columns = [point.kernels.index(name) for name in names]
    rows = (
        (counter.kind, _counter_row(key, counter, columns)) for counter in point.counters if (key := _key(counter.name))
    )
    texts = ((kind, lkp_row, {*map(mean_text, (lkp_row.base, *lkp_row.heads))}) for kind, lkp_row in rows)
    return [lkp_row for kind, lkp_row, different in texts if kind == "events" or len(different) > 1]


def _counter_row(key: str, counted: Counted, columns: Sequence[int]) -> LkpRow:
    runs = [[value for value in counted.runs[column] if value is not None] for column in columns]
    base, *heads = (_mean_of(values) if values else Mean(value=None) for values in runs)
    return row(key, base, tuple(heads))


def _key(name: str) -> str:
    """The robot's key of a counter, and the counter's own name where the robot has none; "" for those without a row."""
    source, _, key = name.partition(".")
    if not key:
        return f"proc-vmstat.{name}"
    if source == "ran":
        return ""
    family = "meminfo." if source == "memory" else "schedstat." if source.startswith("cpu") else f"{source}."
    return family + one_line(name if family == "schedstat." else key)


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
    name = names_by_label(report).get(label, label)
    identity = dict(zip(labels(report.experiment), report.kernels, strict=False)).get(label)
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
