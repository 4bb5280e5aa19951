# SPDX-License-Identifier: GPL-2.0-only
"""The page of every command of the lab: the zone lock's work, lists over time, tables, how to read it; no network."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kassay import __version__
from kassay.model.texts import Table, one_line
from kassay.report.form import template
from kassay.report.pcp._lists import ListSource, cpus_of, list_charts
from kassay.report.pcp._sweep import SweepChart

if TYPE_CHECKING:
    from markupsafe import Markup


class ListGroup(NamedTuple):
    """Sources whose lists share a chart for each CPU."""

    title: str
    sources: Sequence[ListSource]


class PagePart(NamedTuple):
    """One setting of a workload. bars: the lock's work, (name, value, label beside the bar), drawn where any is not 0;
    bars_text: what is drawn."""

    title: str
    bars: Sequence[tuple[str, float, str]]
    bars_text: str
    groups: Sequence[ListGroup]


def page(
    *, kicker: str, title: str, verdict: str, parts: Sequence[PagePart], tables: Iterable[Table],
    notes: Iterable[str], cpus: int, more: int = 0, clock: str = "simulated time",
    sweeps: Sequence[SweepChart] = (),
) -> str:  # fmt: skip
    """One self-contained HTML file. cpus: charts for each group of lists, at most. more: settings without charts.
    sweeps: come first.
    clock: whose seconds the charts show."""
    drawn = [
        {
            "title": part.title, "bars": _bars(part), "bars_text": part.bars_text,
            "groups": [
                (group.title, list_charts(group.sources, cpus), max(0, cpus_of(group.sources) - cpus))
                for group in part.groups
            ],
        }
        for part in parts
    ]  # fmt: skip
    return template("pcp.html.j2").render(
        kicker=kicker, title=one_line(title), verdict=one_line(verdict), parts=drawn, tables=list(tables),
        notes=[one_line(note) for note in notes], more=more, clock=clock, sweeps=sweeps, kassay_version=__version__,
    )  # fmt: skip


def _bars(part: PagePart) -> "Markup | str":
    from markupsafe import Markup

    from kassay.report.pcp._charts import LockBar, lock_svg

    bars = [LockBar(*bar) for bar in part.bars]
    return Markup(lock_svg(bars)) if any(bar.value for bar in bars) else ""
