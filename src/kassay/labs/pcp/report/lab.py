# SPDX-License-Identifier: GPL-2.0-only
"""The document of every command of the lab: charts for pages, tables, how to read them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from kassay.labs.pcp.report.charts import LockBar, lock_spec
from kassay.labs.pcp.report.lists import ListSource, cpus_of, list_charts
from kassay.model.texts import Table
from kassay.report.document import (
    DRAWN,
    PAGE,
    VERDICT,
    Block,
    Chart,
    Document,
    Envelope,
    Items,
    Key,
    Paragraph,
    Section,
    section_of_table,
)


class ListGroup(NamedTuple):
    """Sources whose lists share a chart for each CPU."""

    title: str
    sources: Sequence[ListSource]


class PagePart(NamedTuple):
    """One setting of a workload."""

    title: str
    bars: Sequence[tuple[str, float, str]]
    """Bars of the lock's work: (name, value, label beside the bar). They are drawn if any value is not 0."""
    bars_text: str
    """Explanation of the bars."""
    groups: Sequence[ListGroup]


def lab_document(
    *, kicker: str, title: str, verdict: str, parts: Sequence[PagePart], tables: Iterable[Table],
    notes: Iterable[str], cpus: int, kassay_version: str, definitions: tuple[str, ...] = (), more: int = 0,
    clock: str = "simulated time", sweeps: Sequence[Section] = (),
) -> Document:  # fmt: skip
    """An answer of the lab. cpus: charts for each group of lists, at most. more: settings without charts. sweeps: come
    first. clock: whose seconds the charts show. definitions: of what the tables count, for pages."""
    left = f"Charts of {more} more settings are left out; the tables have them."
    charts = (
        *sweeps, *(_drawn(part, cpus, clock) for part in parts),
        *((Section(blocks=(Paragraph(text=left),)),) if more else ()),
    )  # fmt: skip
    explained = (Section(blocks=(Items(texts=definitions),), readers=(PAGE,)),) if definitions else ()
    return Document(
        title=title, kicker=kicker, kassay_version=kassay_version, width=120, level=3,
        envelope=Envelope(subject=f"[RFC] mm: per-CPU pages, {title}", trailer="",
                          signature=f"Written by kassay {kassay_version}."),
        blocks=(
            Paragraph(text=verdict, tone=VERDICT),
            Section(blocks=charts, readers=(DRAWN,)),
            *map(section_of_table, tables),
            Section(title="How to read this", blocks=(Items(texts=tuple(notes)), *explained)),
        ),
    )  # fmt: skip


def _drawn(part: PagePart, cpus: int, clock: str) -> Section:
    blocks: list[Block] = []
    bars = [LockBar(*bar) for bar in part.bars]
    if any(bar.value for bar in bars):
        blocks += [Paragraph(text=part.bars_text), Chart(wide=lock_spec(bars))]
    for group in part.groups:
        blocks += _charts(group, cpus, clock)
    return Section(title=part.title or "Zone-lock work and page lists", blocks=tuple(blocks))


def _charts(group: ListGroup, cpus: int, clock: str) -> Iterator[Block]:
    for chart in list_charts(group.sources, cpus):
        title = ", ".join(filter(None, (group.title, chart.title)))
        about = Key(text=f"Pages over seconds of {clock}")
        yield structs.replace(chart, title=title, legend=(about, *chart.legend))
    left = cpus_of(group.sources) - cpus
    if left > 0:
        yield Paragraph(text=f"{left} more CPUs are in the JSON.")
