# SPDX-License-Identifier: GPL-2.0-only
"""A simulation as one page that needs no network: charts of the lists over time, the lock's work, every table."""

from collections.abc import Sequence

from kassay.model.pcp import PcpSimulation, SimulatedCell
from kassay.model.texts import one_line, settings_text
from kassay.report.pcp import SimulationFormat
from kassay.report.pcp._lists import ListPoint, ListSource
from kassay.report.pcp._page import ListGroup, PagePart, page
from kassay.report.pcp._sweep import sweep_charts
from kassay.report.pcp._tables import definitions, grouped, notes, share_text, tables, verdict

_MOST_SETTINGS = 4
"""Settings that have charts; the tables have all."""
_BARS = "Share of time that the zone lock is held, and of CPU time that is spent on waiting for it."


def render(answer: PcpSimulation) -> str:
    """The page."""
    groups = grouped(answer)
    return page(
        kicker="kassay: per-CPU page lists, simulated", title=answer.workload, verdict=verdict(answer),
        parts=[_part(settings_text(settings) if settings else "", of) for settings, of in groups[:_MOST_SETTINGS]],
        tables=tables(answer), notes=(*notes(answer), *definitions()), cpus=2 if len(groups) == 1 else 1,
        more=max(0, len(groups) - _MOST_SETTINGS), sweeps=sweep_charts(answer),
    )  # fmt: skip


def _part(title: str, of: Sequence[SimulatedCell]) -> PagePart:
    bars = [
        (one_line(cell.policy), cell.rates["lock_held"] or 0.0,
         f"{share_text(cell.rates['lock_held'])} held, {share_text(cell.rates['contention'])} waited")
        for cell in of
    ]  # fmt: skip
    groups = [ListGroup(one_line(cell.policy), (ListSource("", _points(cell)),)) for cell in of]
    return PagePart(title, bars, _BARS, groups)


def _points(cell: SimulatedCell) -> list[ListPoint]:
    """Of the first zone."""
    return [
        ListPoint(sample.time_ns / 1e9, sample.cpu, sample.count, sample.high)
        for sample in cell.samples
        if sample.zone == 0
    ]


FORMAT = SimulationFormat(
    name="html", suffix=".html", summary="one page that needs no network, with charts", render=render
)
