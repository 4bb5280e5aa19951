# SPDX-License-Identifier: GPL-2.0-only
"""Page lists over time as charts, one for each CPU: what a kernel did and what a model of it did, on one axis."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kassay.labs.pcp.report.charts import Line, line_keys, pages_spec
from kassay.model.texts import one_line
from kassay.report.document import Chart

MOST_CPUS = 4
"""CPUs that have a chart; the answer's JSON has all that were sampled."""
_ROLES = {False: ("ink", "bar"), True: ("worse", "better")}
"""Colours of high and count, of a kernel (False) and of a model (True)."""


class ListPoint(NamedTuple):
    """A CPU's list at one moment."""

    seconds: float
    cpu: int
    pages: int
    """Pages in the list."""
    high: int


class ListSource(NamedTuple):
    """Source of the points of a chart."""

    label: str
    """Name in the legend."""
    points: Sequence[ListPoint]
    modelled: bool = False
    """True for points of a model, which are drawn dashed beside a kernel's."""


def list_charts(sources: Sequence[ListSource], cpus: int = MOST_CPUS) -> tuple[Chart, ...]:
    """Charts of the first `cpus` CPUs that any source knows, all with the same axes."""
    points = [point for source in sources for point in source.points]
    if not points:
        return ()
    last = max(point.seconds for point in points)
    most = float(max(max(point.high, point.pages) for point in points))
    chosen = sorted({point.cpu for point in points})[:cpus]
    return tuple(_chart(cpu, _lines(sources, cpu), last, most) for cpu in chosen)


def cpus_of(sources: Iterable[ListSource]) -> int:
    """How many CPUs the sources know."""
    return len({point.cpu for source in sources for point in source.points})


def _lines(sources: Iterable[ListSource], cpu: int) -> list[Line]:
    lines = []
    for source in sources:
        points = [point for point in source.points if point.cpu == cpu]
        high, count = _ROLES[source.modelled]
        label = f"{one_line(source.label)}: " if source.label else ""
        lines += [
            Line(f"{label}pages in the list", count, [(p.seconds, p.pages) for p in points], source.modelled),
            Line(f"{label}high", high, [(p.seconds, p.high) for p in points], source.modelled),
        ]
    return [line for line in lines if line.points]


def _chart(cpu: int, lines: Sequence[Line], last: float, most: float) -> Chart:
    # High is drawn after the pages, so that it stays visible; the legend has it first.
    named = (line for pair in zip(lines[1::2], lines[::2], strict=True) for line in pair)
    return Chart(title=f"CPU {cpu}", wide=pages_spec(lines, last, most), legend=line_keys(named))
