# SPDX-License-Identifier: GPL-2.0-only
"""Bisection on a clock against known truth; the error rates in full are in benchmarks/bisect_noise.py."""

from math import exp, log
from random import Random

import pytest

from kassay.drivers.decision import Ask, Found
from kassay.drivers.noisy import END_BOOTS, next_step
from kassay.drivers.posterior import Levels, gap_odds, levels_of
from kassay.model.bisect import Observation
from tests.drivers.searching import played


def searched(last: int, levels: dict[int, float], sigma: float, seed: int, *, lost: float = 0.02, strays: float = 0.03,
             unbuilt: tuple[int, ...] = ()) -> tuple[Found, list[Observation]]:  # fmt: skip
    """levels: from which candidate on which value."""
    noise = Random(seed)

    def boot(place: int) -> float | None:
        level = levels[max(first for first in levels if first <= place)]
        value = level * exp(noise.gauss(0, sigma)) * (3 if noise.random() < strays else 1)
        return None if noise.random() < lost else value

    return played(lambda log_: next_step(last, log_, 0.01), boot, unbuilt)


@pytest.mark.parametrize("seed", range(10))
def test_a_clear_step_is_found_in_few_boots(seed: int) -> None:
    found, log_ = searched(64, {0: 100.0, 41: 140.0}, 0.05, seed)
    assert [step.first for step in found.steps] == [41]
    assert found.steps[0].odds is not None and found.steps[0].odds >= 0.99
    assert len(log_) <= 2 * END_BOOTS + 22


def test_most_searches_near_the_limit_are_right() -> None:
    results = [searched(64, {0: 100.0, 23: 110.0}, 0.035, seed) for seed in range(30)]
    right = [found for found, _ in results if found.steps and found.steps[0].first == 23]
    wrong = [found for found, _ in results if found.steps and found.steps[0].first != 23]
    assert len(right) >= 20 and len(wrong) <= 2


@pytest.mark.parametrize("seed", range(6))
def test_two_steps_are_told_apart(seed: int) -> None:
    found, _ = searched(64, {0: 100.0, 20: 140.0, 45: 220.0}, 0.03, seed)
    assert [step.first for step in found.steps] == [45, 20]


@pytest.mark.parametrize("seed", range(4))
def test_what_does_not_build_is_skipped_and_named(seed: int) -> None:
    found, _ = searched(32, {0: 100.0, 17: 160.0}, 0.03, seed, unbuilt=(16, 17, 5))
    assert (found.steps[0].last_without, found.steps[0].first, found.steps[0].between) == (15, 18, (16, 17))


def test_ends_that_time_cannot_tell_apart_are_refused() -> None:
    found, log_ = searched(64, {0: 100.0, 30: 101.0}, 0.05, 1, lost=0.0)
    assert found.steps == () and "too little to be bisected on this clock" in found.open[0]
    assert len(log_) == 2 * END_BOOTS


def test_the_ends_are_booted_in_turns() -> None:
    _, log_ = searched(16, {0: 100.0, 9: 150.0}, 0.02, 3, lost=0.0)
    first = [one.candidate for one in log_[: 2 * END_BOOTS]]
    for pair in zip(first[::2], first[1::2], strict=True):
        assert sorted(pair) == [0, 16]
    assert len({pair[0] for pair in zip(first[::2], first[1::2], strict=True)}) == 2


def test_an_end_that_never_boots_ends_the_search() -> None:
    found, log_ = played(lambda log_: next_step(8, log_, 0.01), lambda place: None if place else 100.0)
    assert found.steps == () and "cannot be measured" in found.open[0]
    assert len(log_) < 20


def test_drift_of_close_levels_is_watched_at_the_ends() -> None:
    logs = [searched(256, {0: 100.0, 100: 110.0}, 0.036, seed, lost=0.0)[1] for seed in range(8)]
    watched = [any("drift" in one.reason and one.candidate in (0, 256) for one in log_) for log_ in logs]
    assert any(watched)
    clear = searched(256, {0: 100.0, 100: 150.0}, 0.03, 5)[1]
    assert not any("drift" in one.reason for one in clear)


def test_the_same_log_gives_the_same_decisions() -> None:
    found, log_ = searched(64, {0: 100.0, 41: 130.0}, 0.05, 8)
    for number, one in enumerate(log_):
        asked = next_step(64, log_[:number], 0.01)
        assert isinstance(asked, Ask) and (asked.candidate, asked.boot) == (one.candidate, one.boot)
    assert next_step(64, log_, 0.01) == found


def test_odds_lie_where_the_levels_meet_and_add_up() -> None:
    low, high = [log(100 + i / 10) for i in range(8)], [log(140 + i / 10) for i in range(8)]
    boots = {0: low, 8: high, 3: [log(100.2)], 5: [log(140.3)]}
    odds = gap_odds(8, boots, levels_of(low, high))
    assert odds.sum() == pytest.approx(1.0)
    assert odds[3] == pytest.approx(0.5, abs=0.05) and odds[4] == pytest.approx(0.5, abs=0.05)


def test_a_boot_that_strays_has_no_vote() -> None:
    levels = Levels(log(100), log(140), 0.03)
    ends = {0: [log(100)] * 8, 4: [log(140)] * 8}
    straying = gap_odds(4, {**ends, 2: [log(900)]}, levels)
    assert straying == pytest.approx(gap_odds(4, ends, levels), abs=0.05)
