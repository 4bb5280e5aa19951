# SPDX-License-Identifier: GPL-2.0-only
"""A measurement as one page that needs no network: each kernel's lists over time, the lock's work, every table."""

from collections.abc import Sequence

from kassay.model.pcp_measured import PcpMeasured, PcpRow
from kassay.model.texts import cpus_text, memory_text, settings_text
from kassay.model.units import format_number
from kassay.report.pcp._lists import ListPoint, ListSource
from kassay.report.pcp._page import ListGroup, PagePart, page
from kassay.report.pcp_measured import MeasuredFormat
from kassay.report.pcp_measured._tables import grouped, notes, tables

_BARS = (
    "Acquisitions of the zone lock for 1000 blocks allocated, by kernel and policy; in brackets those by another CPU "
    "than the one before. Of lists that hardly changed there is no chart."
)
_CPUS = 2
"""CPUs that have a chart, of each kernel under each policy."""


def render(answer: PcpMeasured) -> str:
    """The page."""
    groups = grouped(answer)
    kernels = list(dict.fromkeys(row.kernel for row in answer.rows))
    return page(
        kicker="kassay: per-CPU page lists of real kernels", title=", ".join(kernels),
        verdict=f"{len(kernels)} kernels, {len(groups)} settings; {cpus_text(answer.cpus)}, "
        f"{memory_text(answer.memory_bytes)}",
        parts=[
            PagePart(", ".join(filter(None, (workload, settings_text(settings)))), _bars(rows), _BARS, _groups(rows))
            for workload, settings, rows in groups
        ],
        tables=tables(answer), notes=notes(answer), cpus=_CPUS, clock="guest time, of 10⁹ instructions each",
    )  # fmt: skip


def _bars(rows: Sequence[PcpRow]) -> list[tuple[str, float, str]]:
    bars = []
    for row in rows:
        counts = row.counts
        if counts is not None and not row.problem and counts.allocated:
            taken = 1000 * counts.acquisitions / counts.allocated
            over = f" ({format_number(counts.handovers)} handed over)" if counts.handovers else ""
            bars.append((_name(row), taken, f"{format_number(float(f'{taken:.3g}'))}{over}"))
    return bars


def _groups(rows: Sequence[PcpRow]) -> list[ListGroup]:
    drawn = ((_name(row), _points(row)) for row in rows)
    return [ListGroup(name, (ListSource("", points),)) for name, points in drawn if _moved(points)]


def _moved(points: Sequence[ListPoint]) -> bool:
    """Whether there is anything to see: high changed, or the pages of a list by a quarter of it."""
    return any(
        len({point.high for point in own}) > 1
        or max(point.pages for point in own) - min(point.pages for point in own) > own[0].high / 4
        for cpu in {point.cpu for point in points}
        if (own := [point for point in points if point.cpu == cpu])
    )


def _points(row: PcpRow) -> list[ListPoint]:
    """Of the zone with the longest lists: the workload's pages are from it."""
    longest: dict[str, int] = {}
    for sample in row.samples:
        for page_list in sample.lists:
            longest[page_list.zone] = max(longest.get(page_list.zone, 0), page_list.high, page_list.count)
    if not longest:
        return []
    zone = max(longest, key=lambda name: longest[name])
    return [
        ListPoint(sample.time_ns / 1e9, page_list.cpu, page_list.count, page_list.high)
        for sample in row.samples
        for page_list in sample.lists
        if page_list.zone == zone
    ]


def _name(row: PcpRow) -> str:
    return f"{row.kernel.removeprefix('debian:')} {row.policy}"


FORMAT = MeasuredFormat(
    name="html", suffix=".html", summary="one page that needs no network, with charts", render=render
)
