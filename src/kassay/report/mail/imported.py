# SPDX-License-Identifier: GPL-2.0-only
"""What a mail says of others' results: figures as reported, what was computed from them, where they come from."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import Finding
from kassay.model.report import Report
from kassay.model.texts import cells, figures, table
from kassay.model.units import format_number
from kassay.report.document import Block, Paragraph, Section, section
from kassay.report.mail.names import called, everyday, names, point_words, unit_words
from kassay.report.mail.text import (
    RANKS,
    interval,
    lettered,
    number,
    percent,
    sentence,
    stopped,
)
from kassay.report.words import derived

_ROWS, _PAIRS = 10, 3
UNSEARCHED = "Which commit did it is not known: nothing was bisected."


def imported(report: Report) -> list[Block]:
    """A table for each two kernels, the primary metrics first; then what no file holds but follows from its figures."""
    shown = [f for f in report.findings if not derived(f.sides)]
    computed = [f for f in report.findings if derived(f.sides)]
    return [*_tables(report, shown, "The figures as they were reported"),
            *_tables(report, computed, "Computed from them, to three digits")]  # fmt: skip


def origin(report: Report) -> Iterator[Section]:
    """Files with their sums, what one value stands for, and what was noted while reading; nothing of own runs."""
    if not report.sources:
        return
    files = [f"{source.name} ({source.format}, sha256 {source.sha256[:16]})." for source in report.sources]
    notes = [_note(report, everyday(report, reason)) for reason in report.disclosures if reason.code != "read-from"]
    yield section("Where the figures come from", items=(*files, *notes))


def _note(report: Report, text: str) -> str:
    """A sentence; the name of a kernel that it begins with stays as it is."""
    begins = any(text.startswith(f"{name} ") for name in names(report).values())
    return stopped(text) if begins else sentence(text)


def unknown(report: Report) -> list[str]:
    """What no file of another tool tells, as limits."""
    state = stopped(everyday(report, report.state))
    return [f"The state of memory on which the kernels worked is not known: {state}", UNSEARCHED]


def _tables(report: Report, findings: Sequence[Finding], heading: str) -> list[Block]:
    """Metrics of the same benchmarks as the primary ones; what a monitor saw beside them is left to the report."""
    own = {f.workload for f in report.findings if f.primary}
    family = [f for f in findings if f.metric.partition(".")[0] in own or "." not in f.metric] or list(findings)
    pairs = list(dict.fromkeys((f.sides[0].kernel, f.sides[1].kernel) for f in family))
    blocks: list[Block] = []
    shown = 0
    for pair in pairs[:_PAIRS]:
        rows = [f for f in family if (f.sides[0].kernel, f.sides[1].kernel) == pair]
        rows = sorted(rows, key=lambda f: (not f.primary, -abs(f.change or 0.0)))[:_ROWS]
        shown += len(rows)
        blocks.append(_table(report, rows, heading, several=len(pairs) > 1))
    left = len(findings) - shown
    more = Paragraph(text=f"{left} more {'is' if left == 1 else 'are'} in the full report.")
    return [*blocks, more] if left else blocks


def _table(report: Report, findings: Sequence[Finding], heading: str, *, several: bool) -> Section:
    """A comparison a row; what all rows share stands above the table and not in each of them."""
    first = findings[0]
    kernels = [called(report, side.kernel) for side in first.sides]
    metric = _metric(first) if len({_metric(f) for f in findings}) == 1 and len(findings) > 1 else ""
    unit = first.unit if len({f.unit for f in findings}) == 1 else ""
    same = len({_n(f) for f in findings}) == 1
    parts = (
        heading, f", {metric}" if metric else "", f", in {unit_words(unit)}" if unit else "",
        f", {kernels[1]} against {kernels[0]}" if several else "",
        f" (n = {first.n_base} and {first.n_head})" if same and _n(first) != "-" else "",
    )  # fmt: skip
    columns, legend = lettered(kernels)
    # Which row it is: its benchmark and settings where they vary, and its metric where that does.
    names = [": ".join(filter(None, (point_words(report, f), "" if metric else _metric(f)))) for f in findings]
    texts = [
        (name or f.workload, *_figures(f), percent(f.change), interval(f.interval), "-" if same else _n(f))
        for name, f in zip(names, findings, strict=True)
    ]
    head = ("comparison" if metric else "metric", *figures(*columns, "change"), "interval", "n")
    filled = [i for i in range(len(head)) if i < 4 or any(row[i] != "-" for row in texts)]
    rows = (cells(*(row[i] for i in filled)) for row in texts)
    below = [*([] if unit else _units(findings)), *([RANKS] if any(f.interval is not None for f in findings) else [])]
    notes = (Paragraph(text=text) for text in (legend, " ".join(below)) if text)
    return Section(title="".join(parts), blocks=(table("", (head[i] for i in filled), rows), *notes))


def _units(findings: Sequence[Finding]) -> list[str]:
    """Below the table: in the rows they would cut the names."""
    units: dict[str, dict[str, None]] = {}
    for f in findings:
        units.setdefault(unit_words(f.unit), {})[_metric(f)] = None
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
