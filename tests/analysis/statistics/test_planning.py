# SPDX-License-Identifier: GPL-2.0-only
"""How many boots an effect needs, how strict each look is, and how fine the clock that made the values ticks."""

import random
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.statistics.planning import boots_needed, detectable, threshold, tick
from kassay.model.timing import LOOKS


@pytest.mark.parametrize(
    ("cv", "effect", "boots"),
    [(0.02, 0.05, 6), (0.02, 0.02, 17), (0.05, 0.10, 6), (0.05, 0.05, 18), (0.05, 0.02, 105), (0.07, 0.05, 34)],
)
def test_boots_needed_grow_with_the_square_of_noise_over_effect(cv: float, effect: float, boots: int) -> None:
    assert boots_needed(cv, effect) == boots


@given(st.floats(0.001, 0.2), st.floats(0.001, 2.0))
def test_what_is_needed_is_what_detects(cv: float, effect: float) -> None:
    boots = boots_needed(cv, effect)
    assert detectable(cv, boots) <= effect * (1 + 1e-9)
    assert boots == 6 or detectable(cv, boots - 1) > effect * (1 - 1e-9)


def test_a_stricter_level_needs_more_and_a_fall_as_many_as_the_rise_that_undoes_it() -> None:
    assert boots_needed(0.05, 0.05, alpha=threshold(5)) > boots_needed(0.05, 0.05)
    assert boots_needed(0.05, 1 / 1.05 - 1) == boots_needed(0.05, 0.05)


@pytest.mark.parametrize("effect", [0.0, -1.0, -2.0])
def test_no_effect_cannot_be_planned_for(effect: float) -> None:
    with pytest.raises(ValueError, match="an effect"):
        boots_needed(0.05, effect)


def test_more_looks_have_a_stricter_threshold_and_unplanned_ones_none() -> None:
    levels = [threshold(looks) for looks in range(1, len(LOOKS) + 1)]
    assert levels == sorted(levels, reverse=True) and levels[0] == 0.05
    for looks in (0, len(LOOKS) + 1):
        with pytest.raises(ValueError, match="looks"):
            threshold(looks)


def test_a_clock_of_jiffies_shows_four_milliseconds() -> None:
    draw = random.Random(2)
    ticks = [draw.randrange(980, 1020) for _ in range(12)]
    assert isclose(tick([4e6 * each for each in ticks]) or 0, 4e6)
    per_page = [round(4e6 * each / (16384 * 30), 6) for each in ticks]
    assert isclose(tick(per_page) or 0, 4e6 / (16384 * 30), rel_tol=1e-4)


def test_the_tick_may_be_smaller_than_every_gap() -> None:
    assert isclose(tick([40.0, 48.0, 60.0, 80.0, 100.0, 112.0]) or 0, 4.0)


def test_nanoseconds_since_the_epoch_as_a_double_show_256() -> None:
    draw = random.Random(3)
    starts = [1.78e18 + draw.randrange(10**12) for _ in range(40)]
    spans = [float(start + draw.randrange(10**5, 2 * 10**5)) - start for start in starts]
    assert tick(spans) == 256.0


@pytest.mark.parametrize("seed", range(20))
def test_a_clock_of_nanoseconds_shows_none_with_few_values_and_one_with_many(seed: int) -> None:
    draw = random.Random(seed)
    assert tick([float(draw.randrange(10**7, 2 * 10**7)) for _ in range(12)]) is None
    assert tick([float(draw.randrange(10**4, 10**4 + 500)) for _ in range(2000)]) == 1.0


@pytest.mark.parametrize("values", [(), (4.0,), (4.0,) * 9, (4.0, 8.0, 12.0), (4.0, 4.0 + 1e-15)])
def test_values_too_few_or_too_alike_show_no_tick(values: tuple[float, ...]) -> None:
    assert tick(values) is None


def test_few_levels_that_come_again_and_again_are_a_tick() -> None:
    assert tick([4.0, 8.0, 4.0, 8.0]) == 4.0
