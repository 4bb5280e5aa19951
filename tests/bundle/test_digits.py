# SPDX-License-Identifier: GPL-2.0-only
"""A repeated experiment: every round of every run is held against the first one; times by their findings."""

from pathlib import Path

import msgspec
import pytest

from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.model.finding import Finding
from kassay.model.records import Setting
from kassay.model.run import CellEvidence
from kassay.tools.bundle.digits import Repeated, repeated_text, same_counts, same_findings, unlike, values
from tests.history.directories import measured, plan_with
from tests.report.reports import compare

PLAN = plan_with(["6.12.1", "6.17.2"])


def evidence(place: Path, costs: dict[int, list[int | None]], releases: tuple[str, str] = ("6.12.1", "6.17.2"),
             ) -> tuple[CellEvidence, ...]:  # fmt: skip
    here = open_directory(measured(place, plan_with(releases), costs))
    return collect(here, read_journal(here.journal))


def test_equal_counts_are_the_same_to_the_digit(tmp_path: Path) -> None:
    packed = evidence(tmp_path / "a", {0: [30, 30], 1: [60]})
    again = same_counts(packed, evidence(tmp_path / "b", {0: [30, 30], 1: [60]}))
    assert (again.same, again.compared) == (True, 3)
    assert again.rounds == 3 * 3 * len(packed[0].measurements[0].phases)
    assert repeated_text(again).startswith("the same to the digit: 3 runs, ")


def test_cells_are_matched_although_their_ids_differ(tmp_path: Path) -> None:
    packed = evidence(tmp_path / "a", {0: [30], 1: [60]})
    other = plan_with(["6.12.1", "6.17.2"])
    renamed = tuple(msgspec.structs.replace(c, id=f"x{c.id}") for c in other.cells)
    runs = tuple(msgspec.structs.replace(r, id=f"x{r.id}", cell=f"x{r.cell}") for r in other.runs)
    here = open_directory(measured(tmp_path / "b", msgspec.structs.replace(other, cells=renamed, runs=runs),
                                   {0: [30], 1: [60]}))  # fmt: skip
    assert same_counts(packed, collect(here, read_journal(here.journal))).same


def test_a_single_digit_is_found_and_named(tmp_path: Path) -> None:
    packed = evidence(tmp_path / "a", {0: [30, 30], 1: [60]})
    again = same_counts(packed, evidence(tmp_path / "b", {0: [30, 31], 1: [60]}))
    run = packed[0].measurements[1].run
    assert not again.same
    assert any(
        line == f"{run}: iteration: 3 rounds differ, first round 1: 300 then, 310 now" for line in again.differing
    )
    assert {line.partition(":")[0] for line in again.differing} == {run}
    assert repeated_text(again).startswith(f"NOT the same: {len(again.differing)} differences in 3 runs\n  {run}: ")


def test_a_run_that_was_not_made_again_is_missing(tmp_path: Path) -> None:
    packed = evidence(tmp_path / "a", {0: [30, 30], 1: [60]})
    again = same_counts(packed, evidence(tmp_path / "b", {0: [30, None], 1: [60]}))
    assert again.differing == (f"{packed[0].measurements[1].run}: not measured again",)
    nothing = same_counts(packed, evidence(tmp_path / "c", {}))
    assert not nothing.same and "nothing could be compared" in repeated_text(nothing)


def timed(verdict: str, interval: tuple[float, float] | None) -> Finding:
    return msgspec.structs.replace(compare().findings[0], verdict=verdict, interval=interval)


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        (timed("regression", (0.1, 0.2)), timed("regression", (0.15, 0.3)), True),
        (timed("regression", (0.1, 0.2)), timed("inconclusive", (-0.1, 0.11)), True),
        (timed("regression", (0.1, 0.2)), timed("regression", (0.3, 0.4)), False),
        (timed("regression", (-0.1, 0.2)), timed("improvement", (-0.2, 0.1)), False),
        (timed("regression", (0.1, 0.2)), timed("incomplete", None), False),
        (timed("inconclusive", None), timed("inconclusive", None), True),
    ],
)
def test_times_are_compared_by_direction_and_interval(then: Finding, now: Finding, same: bool) -> None:
    again = same_findings([then], [now])
    assert (again.same, again.exact) == (same, False)
    assert "cannot be equal to the digit" in repeated_text(again)


@pytest.mark.parametrize(("now", "line"), [
    ((30.0, 60.0), "yet every figure of the report is the same to the digit: 2 figures"),
    ((30.0, 63.0), "1 of the report's 2 figures differ, by 5.00% at most: {metric} of {head}{settings}"),
])  # fmt: skip
def test_figures_are_compared_where_rounds_differ(now: tuple[float, float], line: str) -> None:
    finding = msgspec.structs.replace(compare().findings[0], base_value=30.0, head_value=60.0)
    again = msgspec.structs.replace(finding, base_value=now[0], head_value=now[1])
    differing = Repeated(exact=True, compared=2, rounds=8, differing=("round 3",), values=values((finding,), (again,)))
    settings = f" ({' '.join(f'{s.name}={s.value}' for s in finding.settings)})" if finding.settings else ""
    assert line.format(metric=finding.metric, head=finding.head, settings=settings) in repeated_text(differing)
    assert "figure" not in repeated_text(msgspec.structs.replace(differing, differing=()))


def test_findings_of_another_metric_are_not_compared(tmp_path: Path) -> None:
    one = timed("regression", (0.1, 0.2))
    assert not same_findings([one], [msgspec.structs.replace(one, metric="another")]).same


def test_what_differs_before_the_first_boot_is_told() -> None:
    assert unlike(PLAN, PLAN) == ()
    kernels = (msgspec.structs.replace(PLAN.kernels[0], image_sha256="other"), PLAN.kernels[1])
    machine = msgspec.structs.replace(PLAN.machine, program="QEMU 99", options=("-x",))
    built = msgspec.structs.replace(PLAN, guest_sha256=(Setting(name="w", value="1"),))
    other = msgspec.structs.replace(built, kernels=kernels, machine=machine, guest_sha256=())
    lines = unlike(built, other)
    assert [line.partition(":")[0] for line in lines] == ["kernel debian", "machine", "machine", "program w"]
    again = msgspec.structs.replace(same_findings([], []), unlike=lines)
    assert "not alike to begin with: machine: QEMU then, QEMU 99 now" in repeated_text(again)
    one, two = (msgspec.structs.replace(PLAN, images=(Setting(name="sort", value=v * 64),)) for v in "12")
    assert unlike(one, one) == ()
    assert unlike(one, two) == (f"image sort: another tree of the same packages ({'1' * 12} then, {'2' * 12} now)",)
