# SPDX-License-Identifier: GPL-2.0-only
"""Bisection on a clock against known truth; the error rates in full are in benchmarks/bisect_noise.py."""

from collections.abc import Callable
from itertools import count
from math import exp, log
from random import Random

import pytest

from kassay.model.bisect import Observation
from kassay.tools.search import noisy
from kassay.tools.search.decision import Ask, Conclusion, paired
from kassay.tools.search.noisy import END_PAIRS, next_step
from kassay.tools.search.posterior import Levels, Posterior, levels_of
from tests.search.searching import played

pytestmark = pytest.mark.slow  # seconds for the whole file


def searched(last: int, levels: dict[int, float], sigma: float, seed: int, *, lost: float = 0.02, strays: float = 0.03,
             unbuilt: tuple[int, ...] = (), pace: Callable[[int], float] = lambda _: 1.0
             ) -> tuple[Conclusion, list[Observation]]:  # fmt: skip
    """levels: from which candidate on which value. pace: what the host makes of it, by the number of boots so far."""
    noise, boots = Random(seed), count()

    def boot(place: int) -> float | None:
        level = pace(next(boots)) * levels[max(first for first in levels if first <= place)]
        value = level * exp(noise.gauss(0, sigma)) * (3 if noise.random() < strays else 1)
        return None if noise.random() < lost else value

    return played(lambda log_: next_step(last, log_, 0.01), boot, unbuilt)


@pytest.mark.parametrize("seed", range(6))
def test_a_clear_step_is_found_in_few_boots(seed: int) -> None:
    found, log_ = searched(64, {0: 100.0, 41: 140.0}, 0.05, seed)
    assert [step.first for step in found.steps] == [41]
    assert found.steps[0].odds is not None and found.steps[0].odds >= 0.99
    assert len(log_) <= 2 * END_PAIRS + 40


@pytest.mark.slow
def test_most_searches_near_the_limit_are_right() -> None:
    results = [searched(64, {0: 100.0, 23: 110.0}, 0.035, seed) for seed in range(8)]
    right = [found for found, _ in results if found.steps and found.steps[0].first == 23]
    wrong = [found for found, _ in results if found.steps and found.steps[0].first != 23]
    assert len(right) >= 5 and not wrong


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_two_steps_are_told_apart(seed: int) -> None:
    found, _ = searched(64, {0: 100.0, 20: 140.0, 45: 220.0}, 0.03, seed)
    assert [step.first for step in found.steps] == [45, 20]


@pytest.mark.parametrize("seed", range(4))
def test_what_does_not_build_is_skipped_and_named(seed: int) -> None:
    found, _ = searched(32, {0: 100.0, 17: 160.0}, 0.03, seed, unbuilt=(16, 17, 5))
    assert (found.steps[0].last_without, found.steps[0].first, found.steps[0].between) == (15, 18, (16, 17))


def test_ends_that_time_cannot_tell_apart_are_refused() -> None:
    found, log_ = searched(64, {0: 100.0, 30: 101.0}, 0.05, 1, lost=0.0)
    assert found.steps == () and found.open[0].code == "change-below-scatter"
    assert len(log_) == 2 * END_PAIRS


def test_the_ends_are_booted_in_turns() -> None:
    _, log_ = searched(16, {0: 100.0, 9: 150.0}, 0.02, 3, lost=0.0)
    first = [one.candidate for one in log_[: 2 * END_PAIRS]]
    for pair in zip(first[::2], first[1::2], strict=True):
        assert sorted(pair) == [0, 16]
    assert len({pair[0] for pair in zip(first[::2], first[1::2], strict=True)}) == 2


def test_an_end_that_never_boots_ends_the_search() -> None:
    found, log_ = played(lambda log_: next_step(8, log_, 0.01), lambda place: None if place else 100.0)
    assert found.steps == () and found.open[0].code == "stretch-not-measured"
    assert len(log_) < 20


@pytest.mark.slow
@pytest.mark.parametrize("boots_before", range(16, 28, 3))
@pytest.mark.parametrize("pace", [0.55, 1.4, 2.0])
def test_a_host_that_becomes_faster_or_slower_in_mid_search_is_no_step(boots_before: int, pace: float) -> None:
    """A change of 40 %, and a host whose own pace changes by as much or more, and stays so."""
    found, _ = searched(
        32, {0: 100.0, 21: 140.0}, 0.04, boots_before, pace=lambda n: pace if n >= boots_before else 1.0
    )
    assert [step.first for step in found.steps] == [21]
    assert 0.2 < found.steps[0].change < 0.6


@pytest.mark.slow
def test_a_host_that_drifts_by_more_than_the_change_is_no_step() -> None:
    for seed in range(3):
        found, _ = searched(256, {0: 100.0, 100: 115.0}, 0.03, seed, pace=lambda n: exp(0.01 * n))
        assert [step.first for step in found.steps] == [100]


def test_a_candidate_that_boots_once_and_never_again_is_skipped_and_named() -> None:
    seen: dict[int, int] = {}

    def boot(place: int) -> float | None:
        seen[place] = seen.get(place, 0) + 1
        return (
            None if place == 16 and seen[place] > 1 else (115.0 if place >= 16 else 100.0) * (1 + seen[place] % 3 / 100)
        )

    found, _ = played(lambda log_: next_step(32, log_, 0.01), boot)
    assert [(step.last_without, step.first, step.between) for step in found.steps] == [(15, 17, (16,))]


def test_one_wild_boot_does_not_blind_the_search() -> None:
    noise, boots = Random(1), count()
    found, log_ = played(
        lambda log_: next_step(32, log_, 0.01),
        lambda place: (101.0 if place >= 16 else 100.0) * exp(noise.gauss(0, 0.002)) * (100 if next(boots) == 3 else 1),
    )
    assert [step.first for step in found.steps] == [16] and len(log_) < 90


@pytest.mark.slow
def test_what_the_steps_do_not_explain_is_said() -> None:
    """A second step that is too small for these boots."""
    told = [searched(64, {0: 100.0, 20: 115.0, 45: 132.0}, 0.04, seed, lost=0.0, strays=0.0)[0] for seed in (1, 2)]
    assert all(len(found.steps) > 1 or found.open for found in told)
    assert any(len(found.steps) == 2 for found in told)


@pytest.mark.slow
def test_a_ramp_is_given_up_after_so_many_boots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisy, "_MOST", 60)  # a quarter: the next boot takes the longer to choose the more there were
    found, log_ = searched(12, {place: 100 * 1.05**place for place in range(13)}, 0.03, 1, lost=0.0, strays=0.0)
    assert 60 < len(log_) < 150 and found.open


def test_boots_are_held_against_those_made_beside_them() -> None:
    boots = [(0, 1.0), (4, 2.0), (0, 3.0), (2, 9.0), (2, 9.0), (2, 9.0), (2, 9.0), (4, 5.0), (4, 6.0), (0, 4.0)]
    assert paired(boots, 0, 4) == [(1.0, 2.0), (4.0, 6.0)]
    assert paired(boots, 4, 0) == [(2.0, 1.0), (6.0, 4.0)]


def test_the_sides_of_a_step_are_booted_in_turns_with_the_ends() -> None:
    found, log_ = searched(64, {0: 100.0, 41: 140.0}, 0.03, 2, lost=0.0)
    boots = [(one.candidate, one.value or 0.0) for one in log_]
    assert all(len(paired(boots, *two)) >= 5 for two in ((0, 40), (40, 41), (41, 64)))
    assert found.steps[0].first == 41


def test_the_same_log_gives_the_same_decisions() -> None:
    found, log_ = searched(64, {0: 100.0, 41: 130.0}, 0.05, 8)
    for number, one in enumerate(log_):
        asked = next_step(64, log_[:number], 0.01)
        assert isinstance(asked, Ask) and (asked.candidate, asked.boot) == (one.candidate, one.boot)
    assert next_step(64, log_, 0.01) == found


ENDS = [(0, log(100)), (8, log(140)), (8, log(141)), (0, log(101))] * 4


def levels() -> Levels:
    return levels_of([(ENDS[0][1], ENDS[1][1]), (ENDS[3][1] + 0.01, ENDS[2][1]), (ENDS[0][1], ENDS[2][1])] * 3)


def test_odds_lie_where_the_levels_meet_and_add_up() -> None:
    boots = [*ENDS, (3, log(100.2)), (5, log(140.3)), (0, log(100.4)), (3, log(100.1)), (5, log(141.0))]
    odds = Posterior(0, 8, boots, levels()).odds
    assert odds.sum() == pytest.approx(1.0)
    assert odds[3] == pytest.approx(0.5, abs=0.05) and odds[4] == pytest.approx(0.5, abs=0.05)


def test_a_boot_that_strays_has_no_vote() -> None:
    straying = Posterior(0, 8, [*ENDS, (4, log(900))], levels()).odds
    assert straying == pytest.approx(Posterior(0, 8, ENDS, levels()).odds, abs=0.02)


def test_one_boot_that_looks_bad_may_be_a_host_that_became_slower_and_an_end_tells() -> None:
    seen = [*ENDS, (4, log(140.5))]
    slow, same = [(0, log(141)), (8, log(197))], [(0, log(100))]
    alone, slower, as_before = (Posterior(0, 8, [*seen, *more], levels()).odds[:4].sum() for more in ([], slow, same))
    assert slower < 0.6 < alone < as_before < 1 - 1e-4


def test_the_candidate_in_the_middle_tells_most_and_an_end_little() -> None:
    found = Posterior(0, 8, ENDS, levels())
    gains = [found.gain(place) for place in range(9)]
    assert max(gains) == gains[4] and 0.8 < gains[4] <= 1
    assert gains[0] == pytest.approx(0.0, abs=1e-6) and gains[1] < gains[2] < gains[3]
