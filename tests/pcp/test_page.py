# SPDX-License-Identifier: GPL-2.0-only
"""The page of the lab: what a kernel did and what a model of it did stand in one chart for each CPU."""

import re

from kassay.labs.pcp.report.lab import ListGroup, PagePart, lab_document
from kassay.labs.pcp.report.lists import ListPoint, ListSource, list_charts
from kassay.report.chart import svg_of
from kassay.report.document import Chart
from kassay.report.writers.html import write

REAL = ListSource("6.12", tuple(ListPoint(s, cpu, 10 * s, 100 + cpu) for cpu in (0, 1, 2) for s in (0, 1, 2)))
MODEL = ListSource("auto", tuple(ListPoint(s, cpu, 12 * s, 400) for cpu in (0, 1) for s in (0, 1)), modelled=True)


def whole(*sources: ListSource, cpus: int = 4, bars: tuple[tuple[str, float, str], ...] = ()) -> str:
    part = PagePart("", bars, "Acquisitions.", (ListGroup("replayed", sources),))
    return write(
        lab_document(
            kicker="k",
            title="<t>",
            verdict="v",
            parts=(part,),
            tables=(),
            notes=("<n>",),
            cpus=cpus,
            clock="guest time",
            kassay_version="0",
        )
    )


def drawn(chart: Chart) -> str:
    assert chart.wide is not None
    return svg_of(chart.wide)


def test_every_cpu_has_one_chart_with_the_lines_of_all_sources() -> None:
    charts = list_charts((REAL, MODEL))
    assert [chart.title for chart in charts] == ["CPU 0", "CPU 1", "CPU 2"]
    assert [len(chart.legend) for chart in charts] == [4, 4, 2]
    assert {key.text for key in charts[0].legend} == {
        "6.12: high", "6.12: pages in the list", "auto: high", "auto: pages in the list",
    }  # fmt: skip


def test_lines_of_a_model_are_dashed_and_of_their_own_colours() -> None:
    legend = list_charts((REAL, MODEL))[0].legend
    assert {key.mark for key in legend if key.text.startswith("auto")} == {"dashed"}
    assert {key.mark for key in legend if key.text.startswith("6.12")} == {"line"}
    assert len({key.role for key in legend}) == 4


def test_all_charts_have_the_same_axes() -> None:
    ticks = [re.findall(r">([\d ]+)</text>", drawn(chart)) for chart in list_charts((REAL, MODEL))]
    assert ticks[0] == ticks[1] == ticks[2] and "400" in ticks[0]


def test_sources_without_a_point_have_no_chart() -> None:
    assert list_charts((ListSource("a", ()),)) == ()


def test_cpus_without_a_chart_are_counted() -> None:
    assert "2 more CPUs are in the JSON" in whole(REAL, cpus=1)
    assert "more CPUs" not in whole(REAL)


def test_the_locks_work_is_drawn_where_there_is_any() -> None:
    assert "Acquisitions." in whole(REAL, bars=(("fixed", 3.0, "3"), ("auto", 0.0, "0")))
    assert "Acquisitions." not in whole(REAL, bars=(("fixed", 0.0, "0"),))


def test_names_are_no_markup() -> None:
    text = whole(ListSource("<script>", REAL.points))
    assert "<script" not in text and "<t>" not in text and "<n>" not in text
