# SPDX-License-Identifier: GPL-2.0-only
"""Bisection of exact counts against known truth."""

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from kassay.model.bisect import Observation
from kassay.model.reason import reason
from kassay.tools.search.decision import Conclusion
from kassay.tools.search.exact import by_one_method, next_step
from tests.search.searching import played

MARGIN = 0.01


def found_in(
    values: list[float], skipped: set[int] | None = None, steps: str = "all"
) -> tuple[Conclusion, list[Observation]]:
    gone = skipped or set()
    return played(lambda log: next_step(len(values) - 1, log, MARGIN, steps), lambda p: values[p], gone)


def measured(log: list[Observation]) -> int:
    return sum(one.value is not None for one in log)


@pytest.mark.parametrize("guilty", range(1, 33))
def test_one_guilty_of_32_commits_is_found_in_seven_measurements(guilty: int) -> None:
    found, log = found_in([300.0] * guilty + [670.0] * (33 - guilty))
    (step,) = found.steps
    assert (step.last_without, step.first, step.between, found.open) == (guilty - 1, guilty, (), ())
    assert (step.before, step.after) == (300.0, 670.0)
    assert measured(log) <= 7


@given(st.integers(1, 200), st.data())
def test_any_step_is_found_within_the_bound_whatever_is_skipped(last: int, data: st.DataObject) -> None:
    guilty = data.draw(st.integers(1, last))
    skipped = data.draw(st.sets(st.integers(1, last - 1), max_size=last)) if last > 1 else set()
    found, log = found_in([100.0] * guilty + [150.0] * (last + 1 - guilty), skipped)
    (step,) = found.steps
    assert guilty in (step.first, *step.between)
    assert set(step.between) <= skipped
    assert step.between == tuple(range(step.last_without + 1, step.first))
    failed = len(log) - measured(log)
    bound = ceil(log2(last)) if last > 1 else 0
    assert measured(log) <= 2 + (bound if failed < 3 else 2 * bound)


def test_no_candidate_is_measured_twice() -> None:
    _, log = found_in([1.0] * 20 + [2.0] * 20 + [5.0] * 20, {10, 11, 12, 30})
    assert len({one.candidate for one in log}) == len(log)


@given(st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.0, 30.0, -5.0, 12.0]), min_size=1, max_size=40))
def test_every_step_that_a_measurement_shows_is_told_with_its_size(changes: list[float]) -> None:
    values = [300.0]
    for change in changes:
        values.append(values[-1] + change)
    if abs(values[-1] / values[0] - 1) <= MARGIN or min(values) < 100:
        return
    found, _ = found_in(values)
    assert found.steps or found.open
    for step in found.steps:
        assert step.first == step.last_without + 1
        assert step.after - step.before == values[step.first] - values[step.last_without] != 0
    sizes = [abs(step.after - step.before) for step in found.steps]
    assert sizes == sorted(sizes, reverse=True)


def test_two_steps_of_one_range_are_told_apart_and_the_larger_comes_first() -> None:
    found, log = found_in([300.0] * 9 + [330.0] * 10 + [670.0] * 14)
    assert [(step.first, step.before, step.after) for step in found.steps] == [(19, 330.0, 670.0), (9, 300.0, 330.0)]
    assert measured(log) <= 2 + 2 * 5


@pytest.mark.parametrize(("value", "first"), [(300.0, 2), (302.0, 2), (302.5, 1), (304.5, 1), (306.0, 1), (299.0, 2)])
def test_one_candidate_counts_as_the_nearer_end_although_it_is_within_the_margin_of_both(
    value: float, first: int
) -> None:
    found, _ = found_in([300.0, value, 304.5], steps="nearest")
    assert found.steps[0].first == first


def test_ends_within_the_margin_are_alike_whatever_lies_between() -> None:
    found, log = found_in([300.0, 450.0, 302.0], steps="nearest")
    assert (found.steps, found.open[0].code, len(log)) == ((), "ends-alike", 2)


def test_the_largest_alone_leaves_the_others_and_says_so() -> None:
    found, log = found_in([300.0] * 9 + [330.0] * 10 + [670.0] * 14, steps="largest")
    assert [step.first for step in found.steps] == [19]
    assert found.open[0].code == "not-searched"
    assert measured(log) <= 7


def test_skips_between_two_levels_are_named() -> None:
    found, _ = found_in([1.0] * 5 + [2.0] * 5, {4, 5, 6})
    assert (found.steps[0].last_without, found.steps[0].first, found.steps[0].between) == (3, 7, (4, 5, 6))


def test_after_a_failure_the_search_goes_away_from_it() -> None:
    """Broken commits come in clusters: 12..20 of 32 do not build, and few of them are tried."""
    cluster = set(range(12, 21))
    found, log = found_in([1.0] * 25 + [2.0] * 8, cluster)
    assert found.steps[0].first == 25
    assert sum(one.value is None for one in log) <= 4


def test_equal_ends_are_no_search() -> None:
    found, log = found_in([300.0, 400.0, 300.5])
    assert found.steps == () and found.open[0].code == "ends-alike"
    assert len(log) == 2


def test_an_end_that_cannot_be_measured_is_no_search() -> None:
    found, _ = found_in([300.0, 300.0, 600.0], {2})
    assert found.steps == () and found.open == (reason("end-not-measured", end="bad"),)


def test_a_change_spread_over_many_commits_is_said_to_be() -> None:
    found, _ = found_in([300.0 * 1.004**i for i in range(9)])
    assert found.steps == () and [one.code for one in found.open] == ["spread-over-small"]


def test_an_improvement_is_found_as_a_regression_is() -> None:
    found, _ = found_in([600.0] * 3 + [300.0] * 6)
    assert found.steps[0].first == 3 and found.steps[0].change == -0.5


def read(number: int, method: str, **readings: float) -> Observation:
    return Observation(number=number, candidate=number - 1, boot=1, outcome="value", value=readings[method],
                       reason="", method=method, readings=readings)  # fmt: skip


def test_candidates_whose_rounds_became_a_number_otherwise_are_read_by_one_method() -> None:
    """Ten of 20 rounds have the same count at one, nine at the other: a mode and a median are no step."""
    log = [read(1, "mode", mode=10_000.0, mean=10_100.0, median=10_101.0),
           read(2, "median", mode=10_000.0, mean=10_110.0, median=10_150.0)]  # fmt: skip
    assert [entry.value for entry in by_one_method(log)] == [10_101.0, 10_150.0]
    (alike,) = next_step(1, by_one_method(log), MARGIN).open  # type: ignore[union-attr]
    assert alike.code == "ends-alike"


def test_logs_of_earlier_versions_and_of_one_method_are_read_as_they_are() -> None:
    alike = [read(1, "mode", mode=1.0, median=2.0), read(2, "mode", mode=3.0, median=2.0)]
    earlier = [structs.replace(entry, method=UNSET, readings=UNSET) for entry in alike]
    assert by_one_method(alike) == alike and by_one_method([*earlier, alike[0]]) == [*earlier, alike[0]]
