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
from kassay.model.run import CellEvidence, Fields
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


def test_a_run_that_only_the_rerun_has_is_named(tmp_path: Path) -> None:
    again = evidence(tmp_path / "b", {0: [30, 30], 1: [60]})
    found = same_counts(evidence(tmp_path / "a", {0: [30, 30]}), again)
    assert found.differing == (f"{again[1].measurements[0].run}: only measured now",)
    assert repeated_text(found).startswith("NOT the same: 1 differences in 2 runs")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_page_state_is_compared(tmp_path: Path, moment: str) -> None:
    packed, rerun = (
        with_state(evidence(tmp_path / name, {0: [30], 1: [60]}), moment, (("range.AnonHugePages", value), ("x", name)))
        for name, value in (("a", "0"), ("b", "9999"))
    )
    line = f"state {moment}: 1 fields differ, first range.AnonHugePages is 0 kB then, 9999 kB now"
    assert same_counts(packed, rerun).differing == (
        f"{packed[0].measurements[0].run}: {line}", f"{packed[1].measurements[0].run}: {line}",
    )  # fmt: skip


def with_state(cells: tuple[CellEvidence, ...], moment: str, fields: Fields) -> tuple[CellEvidence, ...]:
    runs = ([msgspec.structs.replace(run, **{moment: fields}) for run in cell.measurements] for cell in cells)
    return tuple(
        msgspec.structs.replace(cell, measurements=tuple(ones)) for cell, ones in zip(cells, runs, strict=True)
    )


def test_a_phase_that_only_the_rerun_has_is_a_difference(tmp_path: Path) -> None:
    again = evidence(tmp_path / "b", {0: [30], 1: [60]})
    first = again[0].measurements[0]
    packed = msgspec.structs.replace(again[0], measurements=(msgspec.structs.replace(first, phases=first.phases[1:]),))
    line = f"{first.run}: {first.phases[0].phase}: has other rounds or operations"
    assert same_counts((packed, again[1]), again).differing == (line,)


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
        (timed("state-mismatch", None), timed("incomplete", None), False),
        (timed("regression", (0.1, 0.2)), timed("contaminated", (0.1, 0.2)), False),
        (timed("different-work", (0.1, 0.2)), timed("regression", (0.1, 0.2)), False),
        (timed("regression", (0.02, 0.6)), timed("equivalent", (-0.01, 0.03)), True),
    ],
)
def test_times_are_compared_by_direction_and_interval(then: Finding, now: Finding, same: bool) -> None:
    again = same_findings([then], [now])
    assert (again.same, again.exact) == (same, False)
    assert "cannot be equal to the digit" in repeated_text(again)


@pytest.mark.parametrize("now", ["equivalent", "inconclusive"])
def test_changed_verdicts_are_listed(now: str) -> None:
    then = timed("regression", (0.02, 0.6))
    text = repeated_text(same_findings([then], [timed(now, (-0.01, 0.03))]))
    assert text.startswith("no contradiction, but 1 verdicts changed: 1 findings, none in another direction, all ")
    assert f"  verdict changed: {then.workload}.{then.metric} from {then.base} to {then.head}: regression then" in text
    assert "the same answer" in repeated_text(same_findings([then], [then]))


def test_findings_without_an_interval_are_counted_separately() -> None:
    one, refused = timed("regression", (0.1, 0.2)), timed("incomplete", None)
    assert "3 findings, none in another direction, all intervals overlap, 2 without an interval" in repeated_text(
        same_findings([one, refused, refused], [one, refused, refused])
    )
    assert "1 findings, none in another direction, 1 without an interval" in repeated_text(
        same_findings([refused], [refused])
    )


def test_a_finding_that_only_one_report_has_is_a_difference() -> None:
    one = timed("regression", (0.1, 0.2))
    name = f"{one.workload}.{one.metric} from {one.base} to {one.head}"
    assert same_findings([one, one], [one]).differing == (f"{name}: only in the bundle",)
    assert same_findings([one], [one, one]).differing == (f"{name}: only in the report of the new runs",)


def costs_of(base: float | None, head: float | None, **changes: object) -> Finding:
    return msgspec.structs.replace(compare().findings[0], base_value=base, head_value=head, **changes)


def figures_text(packed: list[Finding], rerun: list[Finding]) -> str:
    compared = Repeated(exact=True, compared=2, rounds=8, differing=("round 3",), values=values(packed, rerun))
    assert "figure" not in repeated_text(msgspec.structs.replace(compared, differing=()))
    return repeated_text(compared)


@pytest.mark.parametrize(("now", "line"), [
    ((30.0, 60.0), "yet every figure of the report is the same to the digit: 2 figures"),
    ((30.0, 63.0), "1 of the report's 2 figures differ, by 5.00% at most: {metric} of {head}, {workload}"),
    ((30.0, None), "1 of the report's 2 figures are in one of the two reports only, first {metric} of {head}, "
                   "{workload}; 0 of the other 1 differ"),
])  # fmt: skip
def test_figures_are_compared_where_rounds_differ(now: tuple[float, float | None], line: str) -> None:
    finding = costs_of(30.0, 60.0)
    names = {"metric": finding.metric, "head": finding.kernels[1], "workload": finding.workload}
    assert line.format(**names) in figures_text([finding], [costs_of(*now)])


def test_figures_of_other_workloads_settings_and_machines_are_kept_apart() -> None:
    """Each has the same metric and kernels, and the changed figure comes first: a later one must not hide it."""
    first = costs_of(30.0, 60.0)
    settings = tuple(msgspec.structs.replace(setting, value="7") for setting in first.settings)
    machine = msgspec.structs.replace(first.machine, cpus=4)
    for changes in ({"workload": "other"}, {"settings": settings}, {"machine": machine}):
        other = costs_of(1.0, 2.0, **changes)
        text = figures_text([first, other], [costs_of(30.0, 90.0), other])
        assert "1 of the report's 4 figures differ, by 50.00% at most" in text, changes
        assert "2 of the report's 4 figures are in one" in figures_text([first, other], [first]), changes


def test_a_figure_of_zero_is_compared() -> None:
    assert "same to the digit: 2 figures" in figures_text([costs_of(0.0, 60.0)], [costs_of(0.0, 60.0)])
    assert "1 of the report's 2 figures differ" in figures_text([costs_of(0.0, 60.0)], [costs_of(1.0, 60.0)])
    assert values([costs_of(None, None)], [costs_of(None, None)]) is None


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
    plugin = msgspec.structs.replace(PLAN, plugin_sha256="1")
    assert unlike(plugin, PLAN) == ("machine: another plugin of QEMU",)
    again = msgspec.structs.replace(same_findings([], []), unlike=lines)
    assert "not alike to begin with: machine: QEMU then, QEMU 99 now" in repeated_text(again)
    one, two = (msgspec.structs.replace(PLAN, images=(Setting(name="sort", value=v * 64),)) for v in "12")
    assert unlike(one, one) == ()
    assert unlike(one, two) == (f"image sort: another tree of the same packages ({'1' * 12} then, {'2' * 12} now)",)
