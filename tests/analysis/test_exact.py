# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on exact counts."""

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.analysis.exact import judge_counts
from kassay.analysis.kernel_side import build_side
from kassay.model.finding import CHANGES
from kassay.model.profile import RegionSummary
from kassay.model.reason import reason
from tests.analysis.sides import evidence, measurement, side

positive = st.floats(1, 1e6)


@pytest.mark.parametrize(
    ("base", "head", "verdict", "evidence"),
    [
        (side("a", 300, 300, perturbed=[300, 301]), side("b", 660, 660, perturbed=[661, 660]), "regression", "exact"),
        (side("a", 660, 660, perturbed=[661]), side("b", 300, 300, perturbed=[301]), "improvement", "exact"),
        (side("a", 300, 300, perturbed=[300.1]), side("b", 300, 300, perturbed=[300]), "equivalent", "exact"),
        (side("a", 300, 300), side("b", 660, 660), "regression", "partial"),
        (side("a", 300, perturbed=[300]), side("b", 660, 660, perturbed=[660]), "regression", "partial"),
        (side("a", 300, 300, perturbed=[340]), side("b", 320, 320, perturbed=[320]), "inconclusive", "partial"),
        (side("a", 300, 300, perturbed=[300]), side("b", 301, 301, perturbed=[306]), "inconclusive", "partial"),
        (side("a"), side("b", 301), "incomplete", "partial"),
        (side("a", 0, 0, perturbed=[1]), side("b", 5, 5, perturbed=[5]), "inconclusive", "partial"),
        (side("a", 300, 300, perturbed=[-1]), side("b", 5, 5, perturbed=[5]), "inconclusive", "partial"),
        (side("a", 300, 300, 300, perturbed=[300]), side("b", 660, 660, perturbed=[660]), "regression", "exact"),
        # Ranges that touch, or that overlap, are not apart. Ranges that are apart are no change below the margin.
        (side("a", 300, 300, perturbed=[330]), side("b", 330, 330, perturbed=[330]), "inconclusive", "partial"),
        (side("a", 300, 300, perturbed=[300]), side("b", 200, 200, perturbed=[300]), "inconclusive", "partial"),
        (side("a", 300, 300, perturbed=[300]), side("b", 200, 200, perturbed=[301]), "inconclusive", "partial"),
        (side("a", 300, 300, perturbed=[300]), side("b", 299, 299, perturbed=[290]), "inconclusive", "partial"),
        # The distance of the values is the spread of one side, and no more.
        (side("a", 300, 300, perturbed=[290]), side("b", 310, 310, perturbed=[310]), "regression", "partial"),
        (side("a", 300, 300, perturbed=[300], failed=1), side("b", 300, 300, perturbed=[300]), "equivalent", "partial"),
    ],
)  # fmt: skip
def test_a_difference_counts_when_it_stands_apart_from_what_should_not_matter(base, head, verdict, evidence) -> None:  # type: ignore[no-untyped-def]
    judged = judge_counts(base, head, 0.01, None)
    assert (judged.verdict, judged.evidence) == (verdict, evidence)


def test_repeats_that_disagree_are_a_defect_not_a_verdict() -> None:
    judged = judge_counts(side("a", 300, 301), side("b", 660, 660), 0.01, reason("repeats-disagree"))
    assert (judged.verdict, judged.evidence) == ("inconclusive", "unstable")
    assert judged.reasons == (reason("repeats-disagree"),)


# Near the margin h/b - 1 > m and b/h - 1 < -m differ, as a margin in ratios is not symmetric: these lie further apart.
@given(st.lists(st.floats(100, 200), min_size=1, max_size=5), st.lists(st.floats(203, 400), min_size=1, max_size=5))
def test_swapping_the_sides_swaps_a_change(less: list[float], more: list[float]) -> None:
    assert judge_counts(side("a", *less), side("b", *more), 0.01, None).verdict == "regression"
    assert judge_counts(side("b", *more), side("a", *less), 0.01, None).verdict == "improvement"


@given(st.lists(positive, min_size=1, max_size=5), st.lists(positive, min_size=1, max_size=5))
def test_no_two_sides_are_both_worse_than_the_other(a: list[float], b: list[float]) -> None:
    forth = judge_counts(side("a", *a), side("b", *b), 0.01, None)
    back = judge_counts(side("b", *b), side("a", *a), 0.01, None)
    assert (forth.verdict, back.verdict) not in (("regression",) * 2, ("improvement",) * 2)


@given(st.lists(positive, min_size=2, max_size=6), st.lists(positive, max_size=6))
def test_a_kernel_against_itself_is_never_called_changed(runs: list[float], perturbed: list[float]) -> None:
    same = side("a", *[runs[0]] * 2, perturbed=perturbed)
    other = side("a", *[runs[0]] * 2, perturbed=runs[1:])
    assert judge_counts(same, other, 0.01, None).verdict in ("equivalent", "inconclusive")


def test_a_change_no_larger_than_the_floor_is_not_called_exact() -> None:
    # The ranges stand apart (200..300 and 310), but one kernel alone moves by more than the two differ.
    wide = side("a", 300, 300, perturbed=[200])
    judged = judge_counts(wide, side("b", 310, 310, perturbed=[310]), 0.01, None)
    assert (judged.verdict, judged.evidence) == ("regression", "partial")
    assert judged.reasons[0] == reason("own-runs-apart", "a", apart=100 / 300)
    back = judge_counts(side("b", 310, 310, perturbed=[310]), wide, 0.01, None)
    assert (back.verdict, back.evidence) == ("improvement", "partial")
    apart = judge_counts(side("a", 300, 300, perturbed=[290]), side("b", 311, 311, perturbed=[312]), 0.01, None)
    assert (apart.verdict, apart.evidence) == ("regression", "exact")


def test_the_floor_is_the_larger_spread_of_both_sides_over_all_their_runs() -> None:
    judged = judge_counts(side("a", 200, 200, perturbed=[201]), side("b", 400, 400, perturbed=[396, 404]), 0.01, None)
    assert judged.floor == 8 / 400
    wide = judge_counts(side("a", 100, 100, perturbed=[300]), side("b", 400, 400, perturbed=[400]), 0.01, None)
    assert wide.floor == 2
    assert judge_counts(side("a", 300), side("b", 400, perturbed=[404]), 0.01, None).floor is None
    assert judge_counts(side("a", 300, 300), side("b", 400, 400), 0.01, None).floor == 0
    assert judge_counts(side("a"), side("b", 1, 1), 0.01, None).floor is None


@pytest.mark.parametrize(("head", "beyond", "change"), [(300, 301, 0.5), (100, 99, -0.5)])
def test_a_value_at_the_margin_is_still_equal_and_no_change(head: float, beyond: float, change: float) -> None:
    base = side("a", 200, 200, perturbed=[200])
    equal = judge_counts(base, side("b", head, head, perturbed=[head]), 0.5, None)
    assert (equal.change, equal.verdict) == (change, "equivalent")
    unsure = judge_counts(base, side("b", head, head, perturbed=[beyond]), 0.5, None)
    assert (unsure.change, unsure.verdict) == (change, "inconclusive")


def test_one_perturbed_run_is_enough_for_a_floor() -> None:
    judged = judge_counts(side("a", 300, perturbed=[303]), side("b", 400, perturbed=[400]), 0.01, None)
    assert judged.floor == 0.01


def test_a_change_says_nothing_of_a_floor_that_it_is_above() -> None:
    judged = judge_counts(side("a", 300, 300, perturbed=[301]), side("b", 400, 400, perturbed=[400]), 0.01, None)
    assert (judged.evidence, judged.reasons) == ("exact", ())


def test_equality_says_above_which_floor_it_was_found() -> None:
    judged = judge_counts(side("a", 300, 300, perturbed=[300.6]), side("b", 300, 300, perturbed=[300] * 2), 0.01, None)
    assert judged.verdict == "equivalent"
    assert judged.reasons == (reason("layout-floor", floor=judged.floor, base_runs=3, head_runs=4),)
    assert judged.floor == pytest.approx(0.002)


def test_a_side_says_which_contexts_shared_the_region() -> None:
    counts = (("user", 25), ("kernel", 70), ("interrupt", 5), ("other", 0))
    told = RegionSummary(mode="counts", counts=counts)
    unsound = msgspec.structs.replace(told, problem="cut short")
    for region, expected in (
        (told, (("user", 0.25), ("kernel", 0.7), ("interrupt", 0.05), ("other", 0.0))), (unsound, ()), (None, ()),
    ):  # fmt: skip
        found = build_side(evidence("a", measurement([100] * 4, region=region)), "iteration", "mode")
        assert found.contexts == expected


@given(st.lists(st.integers(290, 310), min_size=2, max_size=6), st.lists(st.integers(290, 320), min_size=2, max_size=6))
@example([300, 298], [297, 295])
def test_a_change_is_called_exact_where_ranges_stand_apart_by_more_than_the_margin_and_the_floor(
    a: list[int], b: list[int]
) -> None:
    base, head = side("a", a[0], a[0], perturbed=a[1:]), side("b", b[0], b[0], perturbed=b[1:])
    judged = judge_counts(base, head, 0.01, None)
    apart = max(a) < min(b) or max(b) < min(a)
    # as a ratio, as it is judged: 297 / 300 - 1 is more than 1 % by its last bit
    beyond = abs(b[0] / a[0] - 1) > 0.01 and abs(b[0] - a[0]) > max(max(a) - min(a), max(b) - min(b))
    assert (judged.evidence == "exact" and judged.verdict in CHANGES) == (apart and beyond)


@given(st.lists(positive, min_size=1, max_size=5), st.lists(positive, min_size=1, max_size=5))
def test_the_change_lies_in_its_interval(a: list[float], b: list[float]) -> None:
    judged = judge_counts(side("a", *a), side("b", *b), 0.01, None)
    assert judged.interval is not None and judged.change is not None
    assert judged.interval[0] <= judged.change <= judged.interval[1]
