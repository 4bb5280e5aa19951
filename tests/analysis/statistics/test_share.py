# SPDX-License-Identifier: GPL-2.0-only
"""The share of a gap: right on paper, inside its interval, and its interval holds the truth as often as it says."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.analysis.statistics.share import of_counts, of_times
from kassay.model.reason import reason

COUNTS = st.floats(min_value=1, max_value=1000)


def boots(
    seed: int, blocks: int, share: float, *, heavy: bool, drift: float
) -> tuple[list[float], list[float], list[float]]:
    """Times of old 100, new 130 and a candidate that takes `share` of it back; heavy tails, and a drift over blocks."""
    rng = np.random.default_rng(seed)
    level = np.cumsum(rng.normal(0, drift, blocks))
    noise = rng.standard_t(2, (3, blocks)) if heavy else rng.normal(0, 3, (3, blocks))
    truth = np.array([100.0, 130.0, 130.0 - 30.0 * share])
    old, new, candidate = (list(map(float, row)) for row in truth[:, None] + level + noise)
    return old, new, candidate


def test_of_counts_a_share_is_what_the_definition_says() -> None:
    found = of_counts([300.0], [700.0], [600.0])
    assert (found.share, found.interval) == (0.25, (0.25, 0.25))


def test_worse_than_new_and_better_than_old_are_shares_too() -> None:
    assert of_counts([300.0], [700.0], [800.0]).share == -0.25
    assert of_counts([300.0], [700.0], [200.0]).share == 1.25


def test_counts_that_overlap_have_no_gap() -> None:
    found = of_counts([300.0, 310.0], [305.0, 320.0], [300.0])
    assert found.share is None and found.reason == reason("gap-overlaps")


@given(st.lists(COUNTS, min_size=1, max_size=4), st.lists(COUNTS, min_size=1, max_size=4), st.lists(COUNTS, min_size=1))
@example([999.9999999999999], [1.0, 2.0, 1.448999565926158], [1000.0])  # the last digit of a quotient is rounded
def test_no_combination_of_runs_lies_outside_the_interval(
    old: list[float], new: list[float], head: list[float]
) -> None:
    found = of_counts(old, new, head)
    if found.interval is None:
        return
    low, high = found.interval
    shares = [(n - c) / (n - o) for o in old for n in new for c in head]
    rounding = 1e-12 * max(1.0, *map(abs, shares))
    assert low - rounding <= min(shares) and max(shares) <= high + rounding


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0, -0.4])
@pytest.mark.parametrize("blocks", [6, 14])
def test_an_interval_of_times_holds_the_truth_as_often_as_it_says(heavy: bool, share: float, blocks: int) -> None:
    sessions = [of_times(*boots(seed, blocks, share, heavy=heavy, drift=5.0), 0.95) for seed in range(400)]
    told = [one for one in sessions if one.interval is not None]
    assert len(told) > 350
    held = np.mean([one.interval[0] <= share <= one.interval[1] for one in told if one.interval])
    # The level kept is 0.9688 of 6 blocks and 0.9507 of 14; 400 sessions scatter by 0.011 around it.
    assert held >= min(one.level or 0.0 for one in told) - 0.033


def test_drift_does_not_widen_the_interval_of_times() -> None:
    quiet, drifting = (boots(1, 14, 0.3, heavy=False, drift=drift) for drift in (0.0, 50.0))
    assert of_times(*quiet, 0.95).interval == pytest.approx(of_times(*drifting, 0.95).interval, abs=1e-9)


def test_the_estimate_lies_inside_its_interval_and_near_the_truth() -> None:
    for seed in range(50):
        found = of_times(*boots(seed, 10, 0.3, heavy=False, drift=1.0), 0.95)
        assert found.share is not None and found.interval is not None
        assert found.interval[0] <= found.share <= found.interval[1]
        assert abs(found.share - 0.3) < 0.25


def test_a_gap_that_is_not_clear_has_no_share() -> None:
    rng = np.random.default_rng(1)
    same = [list(rng.normal(100, 3, 10)) for _ in range(3)]
    assert of_times(same[0], same[1], same[2], 0.95).share is None
    few = boots(1, 4, 0.3, heavy=False, drift=0.0)
    assert of_times(few[0], few[1], few[2], 0.95).reason == reason("few-common-blocks", blocks=4)


def test_six_blocks_say_which_level_they_really_keep() -> None:
    six = boots(1, 6, 0.3, heavy=False, drift=0.0)
    assert of_times(six[0], six[1], six[2], 0.99).level == pytest.approx(1 - 2 / 64)
