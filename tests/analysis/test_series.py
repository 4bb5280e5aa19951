# SPDX-License-Identifier: GPL-2.0-only
"""Findings of a series find their rows."""

from msgspec.structs import replace

from kassay.analysis.series import compared_with, tabled
from kassay.model.finding import Finding
from kassay.model.series import Series, SeriesRow
from tests.analysis.sides import side
from tests.analysis.test_gap import pair


def row(name: str, kind: str, against: str, outcome: str = "measured", same_as: str = "") -> SeriesRow:
    return SeriesRow(name=name, kind=kind, title=name, patches=(), against=against, outcome=outcome, same_as=same_as)


ROWS = (
    row("base", "base", ""),
    row("1", "cumulative", "base", "same-image", "base"),
    row("1..2", "cumulative", "1", "not-built"),
    row("whole", "cumulative", "1..2"),
    row("without 2", "without", "whole"),
)


def finding(base: str, head: str, values: tuple[float, float]) -> Finding:
    one, other = (side(name, one, one, perturbed=(one,)) for name, one in zip((base, head), values, strict=True))
    return pair(one, other)


FINDINGS = (
    finding("base", "whole", (300.0, 240.0)),
    finding("whole", "without 2", (240.0, 270.0)),
    finding("base", "without 2", (300.0, 270.0)),
)


def series() -> Series:
    return Series(base="build:x", patches=(), rows=ROWS)


def test_a_row_is_held_against_what_stands_for_its_neighbour() -> None:
    by_name = {one.name: one for one in ROWS}
    assert compared_with(by_name["whole"], ROWS) == "base"
    assert compared_with(by_name["without 2"], ROWS) == "whole"
    assert compared_with(by_name["base"], ROWS) == ""


def test_each_measured_row_has_its_figures_against_neighbour_and_base() -> None:
    (table,) = tabled(series(), FINDINGS).tables
    base, whole, without = table.values
    assert (base.value, base.change, base.n) == (300.0, None, 2)
    assert (whole.delta, whole.verdict, whole.base_verdict) == (-60.0, "improvement", "improvement")
    assert (without.delta, without.verdict, without.to_base) == (30.0, "regression", 270.0 / 300.0 - 1)


def test_a_row_without_a_value_is_said_not_to_be_measured() -> None:
    lost = side("without 2")
    gone = [replace(f, sides=(f.sides[0], lost), head_value=None, verdict="incomplete") for f in FINDINGS[1:]]
    found = tabled(series(), (FINDINGS[0], *gone))
    assert found.rows[-1].outcome == "not-measured"
    assert [one.row for one in found.tables[0].values] == ["base", "whole"]
