# SPDX-License-Identifier: GPL-2.0-only
"""Rounds become one number; what differs is set apart, not averaged away."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.rounds import has_mode, method_of, summarise, two_kinds, warmup_rounds
from tests.analysis.sides import evidence, measurement


def test_timer_ticks_do_not_move_a_count() -> None:
    found = summarise([500, 500, 3000, 500, 500, 530, 500, 500], "mode")
    assert (found.ticks, found.warmup) == (500, 0)
    assert found.method == "mode: 6 of 8 rounds"


def test_first_rounds_that_differ_are_warmup() -> None:
    found = summarise([2396, 1548, 1548, 1548, 1549, 1548], "mode")
    assert (found.ticks, found.warmup) == (1548, 1)
    assert "1 warm-up set apart" in found.method


def test_a_count_that_no_half_of_the_rounds_share_is_a_median() -> None:
    assert not has_mode([500, 501, 502, 503, 504])
    assert summarise([500, 501, 502, 503, 504], "median").method == "median of 5 rounds"


ALTERNATING = [9000, *(8240 + 50 * (n % 2) + n % 5 for n in range(19))]


def test_counts_that_alternate_have_a_mean_of_all_that_is_no_warmup() -> None:
    found = summarise(ALTERNATING, "mean")
    assert (found.ticks, found.warmup, found.settled) == (sum(ALTERNATING[1:]) / 19, 1, True)
    assert found.method == "mean of 19 rounds, 1 warm-up set apart: counts vary from round to round"
    assert found.chosen == tuple(range(1, 20))


FAULTS = [81272, *(63849 if n % 2 else 78674 - 77 * n for n in range(1, 20))]
"""page_fault size=64KiB on 7.3: pages are given back to the allocator in every second round."""


@pytest.mark.parametrize("tick", [0, 19293])
def test_rounds_of_two_kinds_have_a_mean_that_one_tick_hardly_moves(tick: int) -> None:
    ticks = [*FAULTS[:-1], FAULTS[-1] + tick]
    found = summarise(ticks, "mean")
    assert two_kinds(ticks)
    assert found.method == "mean of 20 rounds: rounds are of two kinds"
    assert found.ticks == pytest.approx(sum(FAULTS) / 20, rel=0.02)


@pytest.mark.parametrize("count", range(4, 21))
def test_rounds_that_alternate_are_of_two_kinds_however_few(count: int) -> None:
    assert two_kinds(FAULTS[:count])
    assert two_kinds(([100, 150] * 10)[:count])
    assert not two_kinds([100] * (count - 1) + [150])
    assert not two_kinds([300, *[100] * (count - 1)])


@pytest.mark.parametrize("count", range(4, 21))
def test_a_mean_has_as_many_rounds_of_one_kind_as_of_the_other(count: int) -> None:
    assert summarise(([100, 200] * 10)[:count], "mean").ticks == 150
    assert summarise([900, *([100, 200] * 10)[:count]], "mean").ticks == 150


@pytest.mark.parametrize(("cpus", "ticks", "by"), [
    (1, ALTERNATING, "median"), (4, ALTERNATING, "mean"), (4, [500, 500, 500, 700], "mode"), (1, FAULTS, "mean"),
    (1, [15329, 27000] * 10, "mean"), (1, [15329, 15400] * 10, "mode"), (1, [500] * 13 + [700] * 7, "mode"),
])  # fmt: skip
def test_rounds_of_two_kinds_and_of_several_cpus_without_a_mode_are_averaged(
    cpus: int, ticks: list[int], by: str
) -> None:
    item = evidence("k", measurement(ticks))
    machine = msgspec.structs.replace(item.cell.machine, cpus=cpus)
    on = msgspec.structs.replace(item, cell=msgspec.structs.replace(item.cell, machine=machine))
    assert method_of((on,), "iteration") == by


def test_rounds_that_differ_one_by_one_and_not_on_the_whole_settle() -> None:
    ticks = [90, 110] * 3 + [100] * 5 + [100]
    assert not summarise(ticks, "median").settled
    assert (summarise(ticks, "mean").settled, summarise(ticks, "mean").ticks) == (True, 100)
    assert not summarise([100] * 10 + [150] * 10, "mean").settled


def test_rounds_of_two_kinds_are_not_called_settled() -> None:
    assert not summarise([100] * 10 + [150] * 10, "mode").settled
    assert summarise([150] * 3 + [100] * 17, "mode").settled


def test_time_is_always_a_median() -> None:
    found = summarise([50, 52, 50, 50, 50, 51], "median")
    assert (found.method, found.ticks) == ("median of 6 rounds", 50)


def test_jitter_is_not_taken_for_warmup() -> None:
    assert warmup_rounds([104, 97, 101, 95, 103, 99, 106, 96]) == 0
    assert warmup_rounds([170, 97, 101, 95, 103, 99, 106, 96]) == 1


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=50))
def test_at_most_half_of_the_rounds_are_warmup_and_the_value_is_within_range(ticks: list[int]) -> None:
    assert 0 <= warmup_rounds(ticks) <= len(ticks) // 2
    assert min(ticks) <= summarise(ticks, "mode").ticks <= max(ticks)


def test_a_round_that_is_left_out_to_have_as_many_of_each_kind_is_no_warmup() -> None:
    found = summarise([100, 104, 100, 104, 100], "mean")
    assert (found.ticks, found.warmup, found.chosen) == (102, 0, (1, 2, 3, 4))
    assert found.method == "mean of 4 rounds, 1 left out: rounds are of two kinds"
