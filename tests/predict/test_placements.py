# SPDX-License-Identifier: GPL-2.0-only
"""Time that depends on where pages lie in physical memory: a mean of placements, and an interval that holds all."""

from collections import Counter

import pytest
from msgspec.structs import replace

from kassay.labs.predict.core import Replayed, ReplayedInterval, ReplayedRow
from kassay.labs.predict.predict import prediction
from kassay.labs.predict.replay import PLACEMENTS, placed_as_it_matters, replay_of
from kassay.labs.predict.side import PlacedInterval, Replay
from kassay.labs.predict.timing import timing_for
from kassay.model.reason_texts import reason_text
from tests.predict.test_predict import BASE, HEAD, ZEN3, counted, predicted, replayed, side, wide
from tests.predict.traces import recorded


def of_time(cycles: int, misses: int, walking: int = 0) -> Replayed:
    """Round 2 is answered for, round 1 is not. walking: cycles of the round that are page walks."""
    intervals = (ReplayedInterval(1, 0, 9, 100, 0, 1000), ReplayedInterval(2, 0, 9, cycles * 100, 0, misses))
    rows = (ReplayedRow(2, 0, 0, "width", (cycles - walking) * 100, 9), ReplayedRow(2, 0, 0, "tlb", walking * 100, 0))
    return Replayed(intervals, rows, {}, {})


@pytest.mark.parametrize(
    ("misses", "rounds", "expected"),
    [
        (0, [(1000, 0), (2000, 0)], 1),
        (3, [(1000, 0), (1009, 0)], 2),
        (3, [(1000, 500), (1000, 507)], 2),
        (3, [(1000, 0), (1011, 0), (1, 0), (2, 0), (3, 0)], PLACEMENTS),
        (3, [(1000, 500), (1000, 508), (1, 0), (2, 0), (3, 0)], PLACEMENTS),  # its total is the same by chance
    ],
)
def test_so_many_placements_are_replayed_as_matter(misses: int, rounds: list[tuple[int, int]], expected: int) -> None:
    found = placed_as_it_matters(lambda n: of_time(rounds[n][0], misses, rounds[n][1]), {2}, 40.0)
    assert len(found) == expected


def placed(replay: Replay, times: tuple[int, ...]) -> Replay:
    """The rows are sums of as many placements as there are times."""
    rows = tuple(
        replace(row, cycles100=row.cycles100 * len(times), instructions=row.instructions * len(times))
        for row in replay.rows
    )
    intervals = tuple(
        PlacedInterval(placement=n, round=r, interval=i, cycles100=time)
        for n, time in enumerate(times) for r in replay.rounds for i in (0, 1, 2)
    )  # fmt: skip
    return replace(replay, rows=rows, placements=len(times), placed=intervals)


def test_the_time_is_the_mean_of_the_placements_and_the_interval_holds_each() -> None:
    alone = predicted()
    base, head = placed(replayed(BASE), (90, 100, 110)), placed(replayed(HEAD), (100, 100))
    found = prediction(counted(), ZEN3, side(base), side(head), wide)
    assert (found.base_ns, found.head_ns, found.change) == (alone.base_ns, alone.head_ns, alone.change)
    assert (found.base_instructions, found.rows) == (alone.base_instructions, alone.rows)
    assert found.base_placed == pytest.approx((90.0, 100.0, 110.0)) and found.head_placed == pytest.approx((150, 150))
    assert found.interval == pytest.approx((1.4 / 1.1 - 1, 1.6 / 0.9 - 1))
    (doubt,) = found.doubts
    assert reason_text(doubt) == (
        "debian:6.16.12: the time varies by 20.0% with where its pages lie in physical memory"
    )


@pytest.mark.slow
def test_a_stored_trace_that_misses_the_second_level_is_replayed_with_several_placements() -> None:
    timing = timing_for("zen4")
    small = {**timing.parameters, "l2_size": replace(timing.parameters["l2_size"], value=131072.0)}
    data = recorded("6.17")
    whole, missing = (replay_of(data, one, lambda _: "f") for one in (timing, replace(timing, parameters=small)))
    counts: list[Counter[int]] = []
    for replay in (whole, missing):
        counts.append(Counter())
        for row in replay.rows:
            counts[-1][row.round] += row.instructions
    assert missing.placements == PLACEMENTS > whole.placements
    assert {number: count // whole.placements for number, count in counts[0].items()} == {
        number: count // PLACEMENTS for number, count in counts[1].items()
    }
    assert sum(one.cycles100 for one in missing.placed) == sum(row.cycles100 for row in missing.rows)
