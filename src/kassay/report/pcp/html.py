# SPDX-License-Identifier: GPL-2.0-only
"""A simulation as one page that needs no network: charts of the lists over time, the lock's work, every table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kassay import __version__
from kassay.model.pcp import PcpSimulation, SimulatedCell
from kassay.model.texts import one_line, settings_text
from kassay.report.form import template
from kassay.report.pcp import SimulationFormat
from kassay.report.pcp._tables import definitions, grouped, notes, share_text, tables, verdict

if TYPE_CHECKING:
    from markupsafe import Markup

_MOST_SETTINGS = 4
"""Settings that have charts; the tables have all."""


def render(answer: PcpSimulation) -> str:
    """The page."""
    return template("pcp.html.j2").render(
        workload=one_line(answer.workload), verdict=one_line(verdict(answer)), parts=_parts(answer),
        tables=list(tables(answer)), notes=[one_line(note) for note in notes(answer)], definitions=definitions(),
        more=max(0, len(grouped(answer)) - _MOST_SETTINGS), made=__version__,
    )  # fmt: skip


def _parts(answer: PcpSimulation) -> list[dict[str, Any]]:
    return [
        {
            "title": settings_text(settings) if settings else "",
            "lock": _lock(of),
            "lists": [(one_line(cell.policy), _list(cell)) for cell in of],
        }
        for settings, of in grouped(answer)[:_MOST_SETTINGS]
    ]


def _lock(of: Sequence[SimulatedCell]) -> "Markup | str":
    from markupsafe import Markup

    from kassay.report.pcp._charts import LockBar, lock_svg

    bars = [
        LockBar(one_line(cell.policy), cell.rates["lock_held"] or 0.0,
                f"{share_text(cell.rates['lock_held'])} held, {share_text(cell.rates['contention'])} waited")
        for cell in of
    ]  # fmt: skip
    return Markup(lock_svg(bars)) if any(bar.value for bar in bars) else ""


def _list(cell: SimulatedCell) -> "Markup | str":
    """CPU 0's list of the zone that it uses: high above count."""
    from markupsafe import Markup

    from kassay.report.pcp._charts import PcpLine, pages_svg

    own = [sample for sample in cell.samples if sample.cpu == 0 and sample.zone == 0]
    lines = [
        PcpLine("pages", "bar", [(sample.time_ns / 1e9, sample.count) for sample in own]),
        PcpLine("high", "ink", [(sample.time_ns / 1e9, sample.high) for sample in own]),
    ]
    return Markup(pages_svg(lines))  # vl-convert escapes the text it draws


FORMAT = SimulationFormat(
    name="html", suffix=".html", summary="one page that needs no network, with charts", render=render
)
