# SPDX-License-Identifier: GPL-2.0-only
"""A report's results as rows of the robot's table: each metric, and each function's share of the primary one."""

import math
import re
from collections.abc import Sequence
from statistics import fmean, pstdev

import msgspec

from kassay.model.experiment import labels
from kassay.model.finding import DERIVED, REFUSED, Attribution, Finding, Side
from kassay.model.kernel import KernelIdentity
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.model.units import format_bytes
from kassay.report.lkp.row import Mean, Row, row
from kassay.report.lkp.table import Head, ordered, table
from kassay.report.names import spoken_names
from kassay.report.series import Group, Series

_SHARES = "perf-profile.self.instructions."
_SMALLEST = 0.05  # percent of the whole on some kernel: below that a function has no row, as in the robot's table
_UNSAFE = re.compile(r"[^-A-Za-z0-9+=:.%,_]")
_COMPILER = re.compile(r"(gcc|clang)\D*(?:-(\d+))?.*?(\d+)\.\d+")


def tables(report: Report, found: Sequence[Group]) -> tuple[str, ...]:
    """One table for each workload, setting and machine; imported rows, each a workload of its own, are one together."""
    if report.lkp_header is not None:
        shown = (one for group in found for one in group.series if not _derived(one))
        rows = [_series_row(one, imported=True) for one in shown]
        return (table(_imported_head(report), ordered([one for one in rows if one is not None])),)
    return tuple(_table(report, group) for group in found)


def _table(report: Report, group: Group) -> str:
    rows = [one for series in group.series if (one := _series_row(series, imported=False)) is not None]
    rows += _shares(report, group)
    return table(_head(report, group), ordered(rows, group.lead.workload or ""))


def _series_row(series: Series, *, imported: bool) -> Row | None:
    """None where no kernel has a value: the reason stands under the table."""
    base, *heads = (_figure(one.side, one.value, one.n, printed=imported) for one in series.rows)
    if all(mean.value is None for mean in (base, *heads)):
        return None
    whole = imported and "." in series.metric  # a key of the robot's own
    key = one_line(series.metric) if whole else f"{_safe(series.workload or '-')}.{_safe(series.metric)}"
    made = row(key, base, tuple(heads))
    printed = tuple(_printed(one.side.change_text) for one in series.rows[1:])
    return msgspec.structs.replace(made, changes=printed) if imported and None not in printed else made


def _derived(series: Series) -> bool:
    """Whether the figures are not in the imported table, but were computed from it."""
    return all(one.side.method == DERIVED for one in series.rows)


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


def _shares(report: Report, group: Group) -> list[Row]:
    """Each function's share of the primary metric's cost, in percent, kernel by kernel; from one boot of each."""
    names = [one.kernel for one in group.lead.rows]
    found: dict[str, dict[str, float]] = {}
    for f in report.findings:
        if f.attribution is not None and f.verdict not in REFUSED and _same(f, group.lead):
            for kernel, shares in _profiles(f, f.attribution):
                found[kernel] = shares
    if any(name not in found for name in names):
        return []
    functions = dict.fromkeys(function for shares in found.values() for function in shares)
    rows = []
    for function in functions:
        base, *heads = (Mean(value=found[name].get(function, 0.0), n=1) for name in names)
        if max(mean.value or 0.0 for mean in (base, *heads)) >= _SMALLEST:
            rows.append(row(f"{_SHARES}{one_line(function)}", base, tuple(heads)))
    return rows


def _same(f: Finding, lead: Series) -> bool:
    return (*f.point, f.metric) == (lead.workload, lead.settings, lead.machine, lead.metric)


def _profiles(f: Finding, itemised: Attribution) -> list[tuple[str, dict[str, float]]]:
    """Of both kernels: percent of the value by function; contexts and modules are summed."""
    pairs = []
    for side, name, value in zip(f.sides, ("base", "head"), (f.base_value, f.head_value), strict=True):
        shares: dict[str, float] = {}
        for one in itemised.rows:
            shares[one.function] = shares.get(one.function, 0.0) + getattr(one, name) / value * 100 if value else 0.0
        pairs.append((side.kernel, shares))
    return pairs


def _imported_head(report: Report) -> Head:
    header = report.lkp_header
    assert header is not None
    kernels = ((header.base_id, header.base_subject), (header.head_id, header.head_subject))
    texts = [(one_line(i), f"{one_line(i)[:10]}{_subject(subject)}") for i, subject in kernels]
    axes = tuple((one_line(name), one_line(value)) for name, value in header.axes)
    return Head(axes=axes, kernels=tuple(texts))


def _head(report: Report, group: Group) -> Head:
    lead = group.lead
    axes = {"arch": lead.machine.arch, "clock": lead.machine.clock, "testcase": lead.workload or "-"}
    axes |= {"cpus": str(lead.machine.cpus)} if lead.machine.cpus is not None else {}
    axes |= {"memory": format_bytes(lead.machine.memory_bytes)} if lead.machine.memory_bytes is not None else {}
    axes |= {setting.name: setting.value for setting in lead.settings}
    if built := [compiler for kernel in report.kernels if (compiler := _compiler(kernel))]:
        axes["compiler"] = ",".join(dict.fromkeys(built))
    kernels = tuple(_kernel(report, one.kernel) for one in lead.rows)
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
