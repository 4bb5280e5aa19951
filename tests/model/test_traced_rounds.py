# SPDX-License-Identifier: GPL-2.0-only
"""The rounds that the counted value stands for are recorded and replayed, or else the usual ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.traced_rounds import joined_pairs, matching_rounds, rounds_to_record

USUAL = (3, 4, 6, 7, 9, 10, 17, 18)


def test_rounds_near_the_value_are_replayed_before_those_further_away() -> None:
    costs = {4: 1000.0, 7: 1009.0, 10: 1025.0, 18: 3800.0}
    assert matching_rounds(costs, 1000.0, {4}) == (4, 7)
    assert matching_rounds({10: 1025.0, 18: 3800.0}, 1000.0, {4}) == (10,)
    assert matching_rounds({18: 3800.0}, 1000.0, {4}) == ()


def test_rounds_of_two_kinds_stand_for_their_mean_together_and_never_for_a_single_round() -> None:
    costs = {4: 640.0, 7: 640.0, 10: 780.0}
    assert matching_rounds(costs, 710.0, range(1, 21)) == (4, 10)
    assert matching_rounds(costs, 710.0, {5}) == ()


def test_usual_rounds_are_recorded_if_one_is_near_the_value() -> None:
    costs = dict.fromkeys(range(1, 21), 1000.0) | {7: 2000.0, 10: 2000.0, 18: 2000.0}
    assert rounds_to_record(costs, 1000.0, {1}, USUAL) == USUAL


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ({**dict.fromkeys(range(1, 21), 2000.0), 5: 1000.0, 6: 1000.0, 12: 1005.0}, (4, 5, 11, 12)),
        ({**dict.fromkeys(range(1, 21), 2000.0), 2: 1000.0}, (1, 2)),
        (dict.fromkeys(range(1, 21), 2000.0), USUAL),
    ],
    ids=["other rounds", "only a first one", "none"],
)
def test_other_rounds_are_recorded_if_no_usual_round_is_near_the_value(
    costs: dict[int, float], expected: tuple[int, ...]
) -> None:
    assert rounds_to_record(costs, 1000.0, {5}, USUAL) == expected


def test_at_most_three_pairs_are_drawn_from_the_whole_run() -> None:
    costs = {number: 2000.0 if number in USUAL else 1000.0 for number in range(1, 41)}
    assert rounds_to_record(costs, 1000.0, {1}, USUAL) == (10, 11, 24, 25, 34, 35)


def test_pairs_of_several_phases_share_no_round() -> None:
    assert joined_pairs([(9, 10), (3, 4), (4, 5, 11, 12), (3, 4)]) == (3, 4, 9, 10, 11, 12)


@given(st.lists(st.floats(1, 1e6), min_size=2, max_size=40), st.data())
def test_recorded_rounds_are_disjoint_pairs(costs: list[float], data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(costs))
    found = rounds_to_record(dict(enumerate(costs, 1)), value, range(1, len(costs) + 1), (1, 2))
    assert len(set(found)) == len(found) <= 6 and found[0] >= 1
    assert all(second == first + 1 for first, second in zip(found[::2], found[1::2], strict=True))
