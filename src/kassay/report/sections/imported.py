# SPDX-License-Identifier: GPL-2.0-only
"""Results of other tools in a mail: figures as they were reported, and what was computed from them."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import Finding
from kassay.model.report import Report
from kassay.model.texts import cells, figures, table
from kassay.model.units import format_number
from kassay.report.document import LETTER, Section, letter, section
from kassay.report.mail.names import mail_name, point_text, unit_text
from kassay.report.mail.text import RANKS, interval, lettered, number, percent
from kassay.report.words import derived

_ROWS, _PAIRS = 10, 3


def imported(report: Report) -> Iterator[Section]:
    """A table for each two kernels, the primary metrics first; then what no file holds but follows from its figures."""
    reported = [f for f in report.findings if not derived(f.sides)]
    yield from _tables(report, reported, "The figures as they were reported")
    computed = [f for f in report.findings if derived(f.sides)]
    yield from _tables(report, computed, "Computed from them, to three digits")


def _tables(report: Report, findings: Sequence[Finding], heading: str) -> Iterator[Section]:
    """Metrics of the same benchmarks as the primary ones; what a monitor saw beside them is left to the report."""
    workloads = {f.workload for f in report.findings if f.primary}
    family = [f for f in findings if f.metric.partition(".")[0] in workloads or "." not in f.metric] or list(findings)
    pairs = list(dict.fromkeys(f.kernels for f in family))
    shown = 0
    for pair in pairs[:_PAIRS]:
        rows = [f for f in family if f.kernels == pair]
        rows = sorted(rows, key=lambda f: (not f.primary, -abs(f.change or 0.0)))[:_ROWS]
        shown += len(rows)
        yield _table(report, rows, heading, several=len(pairs) > 1)
    if left := len(findings) - shown:
        more = f"{left} more {'is' if left == 1 else 'are'} in the full report."
        yield section("", text=(more,), readers=(LETTER,))


def _table(report: Report, findings: Sequence[Finding], heading: str, *, several: bool) -> Section:
    """A comparison a row; what all rows share stands above the table and not in each of them."""
    first = findings[0]
    kernels = [mail_name(report, side.kernel) for side in first.sides]
    metric = _metric(first) if len({_metric(f) for f in findings}) == 1 and len(findings) > 1 else ""
    unit = first.unit if len({f.unit for f in findings}) == 1 else ""
    same = len({_n(f) for f in findings}) == 1
    parts = (
        heading, f", {metric}" if metric else "", f", in {unit_text(unit)}" if unit else "",
        f", {kernels[1]} against {kernels[0]}" if several else "",
        f" (n = {first.n_base} and {first.n_head})" if same and _n(first) != "-" else "",
    )  # fmt: skip
    columns, legend = lettered(kernels)
    # Which row it is: its benchmark and settings where they vary, and its metric where that does.
    names = [": ".join(filter(None, (point_text(report, f), "" if metric else _metric(f)))) for f in findings]
    texts = [
        (name or f.workload, *_figures(f), percent(f.change), interval(f.interval), "-" if same else _n(f))
        for name, f in zip(names, findings, strict=True)
    ]
    head = ("comparison" if metric else "metric", *figures(*columns, "change"), "interval", "n")
    filled = [i for i in range(len(head)) if i < 4 or any(row[i] != "-" for row in texts)]
    rows = (cells(*(row[i] for i in filled)) for row in texts)
    below = [*([] if unit else _units(findings)), *([RANKS] if any(f.interval is not None for f in findings) else [])]
    shown = table("", (head[i] for i in filled), rows)
    return letter("".join(parts), (shown,), filter(None, (legend, " ".join(below))))


def _units(findings: Sequence[Finding]) -> list[str]:
    """Below the table: in the rows they would cut the names."""
    units: dict[str, dict[str, None]] = {}
    for f in findings:
        units.setdefault(unit_text(f.unit), {})[_metric(f)] = None
    text = "; ".join(f"{', '.join(metrics)} in {unit}" for unit, metrics in units.items() if unit)
    return [f"Units: {text}."] if text else []


def _metric(f: Finding) -> str:
    return f.metric.removeprefix(f"{f.workload}.")


def _figures(f: Finding) -> tuple[str, str]:
    """Both values; a derived one is no more exact than the printed shares that it was computed from."""
    values = (f.base_value, f.head_value)
    if not derived(f.sides):
        return number(values[0]), number(values[1])
    first, second = (format_number(None if v is None else float(f"{v:.3g}")).replace(" ", ",") for v in values)
    return first, second


def _n(f: Finding) -> str:
    return f"{f.n_base}, {f.n_head}" if f.n_base or f.n_head else "-"
