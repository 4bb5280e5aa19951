# SPDX-License-Identifier: GPL-2.0-only
"""Changes in a series are found: the cut is the cheapest there is, steps count, noise and strays do not."""

import random
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.tools.history import changes
from kassay.tools.history.changes import MINIMUM_SEGMENT, change_points, exact_changes, fence, noise


def brute(values: list[float], penalty: float) -> float:
    """The cost of the cheapest cut, by trying every last segment."""
    best = [-penalty, *([float("inf")] * len(values))]
    for end in range(MINIMUM_SEGMENT, len(values) + 1):
        for start in (0, *range(MINIMUM_SEGMENT, end - MINIMUM_SEGMENT + 1)):
            part = np.array(values[start:end])
            if len(part) >= MINIMUM_SEGMENT:
                best[end] = min(best[end], best[start] + float(((part - part.mean()) ** 2).sum()) + penalty)
    return best[-1]


def cost(values: list[float], starts: tuple[int, ...], penalty: float) -> float:
    edges = (0, *starts, len(values))
    parts = [np.array(values[a:b]) for a, b in pairwise(edges)]
    assert min(map(len, parts)) >= MINIMUM_SEGMENT
    return sum(float(((part - part.mean()) ** 2).sum()) for part in parts) + penalty * len(starts)


@settings(max_examples=60)
@given(st.lists(st.floats(-5, 5), min_size=6, max_size=30), st.floats(0.05, 20))
def test_no_cut_is_cheaper_than_the_one_that_is_chosen(values: list[float], penalty: float) -> None:
    found = changes._partition(np.array(values), penalty)
    assert cost(values, found, penalty) == pytest.approx(brute(values, penalty), abs=1e-9)


def noisy(seed: int, length: int, step: float = 0.0, cv: float = 0.02, at: int | None = None) -> list[float]:
    draw = random.Random(seed)
    at = length // 2 if at is None else at
    return [100 * exp(draw.gauss(0, cv)) * (1 + step * (i >= at)) for i in range(length)]


@pytest.mark.slow
def test_noise_alone_is_rarely_a_change() -> None:
    for length in (6, 10, 30):
        found = sum(bool(change_points(noisy(seed, length))) for seed in range(200))
        assert found <= 20, length  # 2.5 to 5.7 % in long simulations (docs/reference/history.md)


def test_a_step_is_found_where_it_is() -> None:
    hits = [change_points(noisy(seed, 60, step=0.1)) for seed in range(50)]
    assert sum(found == (30,) for found in hits) >= 45


def test_single_strays_are_no_change() -> None:
    for seed in range(50):
        values = noisy(seed, 40)
        values[11] *= 3
        values[29] *= 3
        assert len(change_points(values)) <= 1
    assert sum(bool(change_points([*noisy(s, 20), 300.0, *noisy(s + 99, 20)])) for s in range(50)) <= 5


def test_a_step_in_whole_units_is_found_although_most_differences_are_zero() -> None:
    assert change_points([25.0, 25, 25, 25, 37, 37, 38, 37, 37]) == (4,)
    assert change_points([25.0, 25, 26, 25, 25, 26, 25, 25, 26]) == ()


def test_equal_values_and_short_series_have_no_change() -> None:
    assert change_points([5.0] * 50) == ()
    assert change_points([1.0, 1.0, 9.0, 9.0, 9.0]) == ()


def test_the_scale_does_not_matter() -> None:
    values = noisy(3, 60, step=0.2)
    assert change_points([v * 1e-9 for v in values]) == change_points(values) != ()


def test_a_value_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="logarithm"):
        change_points([1.0, 0.0, 1.0, 1.0, 1.0, 1.0])


def test_the_noise_level_ignores_the_step() -> None:
    logs = np.log(noisy(1, 200, step=3.0))
    assert 0.015 < noise(logs) < 0.026


def test_an_exact_count_changes_when_it_leaves_its_level() -> None:
    values, floors = [303.6, 303.6, 671.6, 697.7, 697.8], [0.0] * 5
    assert [index for index, _ in exact_changes(values, floors)] == [2, 3]


def test_a_wide_layout_floor_explains_a_difference() -> None:
    values = [100.0, 100.0, 101.0, 101.0]
    assert [index for index, _ in exact_changes(values, [0.0] * 4)] == [2]
    ((index, limit),) = exact_changes([100.0, 100.0, 103.0], [None, 0.01, 0.0])
    assert (index, limit) == (2, 0.02)
    assert exact_changes(values, [0.006] * 4) == ()


def test_a_creep_of_small_steps_is_seen() -> None:
    values = [100 * 1.0015**i for i in range(8)]
    assert exact_changes(values, [None] * 8)


def test_steps_do_not_hide_a_later_step() -> None:
    values = [100.0, 100, 220, 220, 220, 330, 330, 330, 330]
    assert [index for index, _ in exact_changes(values, [0.0] * 9)] == [2, 5]


def test_a_kernel_with_a_wide_layout_floor_hides_no_step_after_it() -> None:
    assert [index for index, _ in exact_changes([7.0, 5.8, 5.8, 14.5], [1.0, 0.0, 0.0, 0.01])] == [3]


def test_a_level_begins_where_most_of_its_difference_arose() -> None:
    # the second point may differ by layout alone, and the third, by which that is decided, moves back
    assert [index for index, _ in exact_changes([100.0, 108, 105, 105], [0.0, 0.05, 0.0, 0.0])] == [1]


@given(st.lists(st.tuples(st.floats(90, 110), st.sampled_from((None, 0.0, 0.001, 0.05))), max_size=10))
def test_a_change_of_neighbours_beyond_all_limits_begins_a_level(points: list[tuple[float, float | None]]) -> None:
    begun = [index for index, _ in exact_changes([value for value, _ in points], [floor for _, floor in points])]
    assert begun == sorted(set(begun))
    for index, ((before, floor), (after, other)) in enumerate(pairwise(points), 1):
        assert index not in begun or after != before
        assert index in begun or abs(after / before - 1) <= max(0.002, 2 * (floor or 0), 2 * (other or 0))


def test_the_fence_is_what_neighbours_usually_differ_by() -> None:
    assert fence([]) == fence([0.01] * 9) == 0.002
    assert fence([0.01] * 20) == 0.01
    assert fence([0.0, 0.01] * 10) == 0.04
    assert fence([0.5, *[0.0] * 30]) == 0
    quiet = [100.0] * 40
    assert [index for index, _ in exact_changes([*quiet, 100.2], [None] * 41)] == [40]
    assert exact_changes([*quiet, 100.05], [None] * 41) == ()


@pytest.mark.parametrize("before", range(3, 14))
@pytest.mark.parametrize("after", range(3, 8))
def test_a_step_between_equal_values_is_found_whatever_their_number(before: int, after: int) -> None:
    assert change_points([100.0] * before + [110.0] * after) == (before,)
