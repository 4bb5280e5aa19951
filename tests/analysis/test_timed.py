# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on time."""

import random
from math import exp

import pytest

from kassay.analysis.timed import judge_times, rank_limit
from tests.analysis.sides import side


def boots(draw: random.Random, n: int, factor: float = 1.0, cv: float = 0.02) -> list[float]:
    return [100 * factor * exp(draw.gauss(0, cv)) for _ in range(n)]


@pytest.mark.parametrize(("m", "n", "limit"), [(3, 3, 0), (4, 4, 1), (6, 6, 6), (9, 9, 18), (10, 10, 24)])
def test_the_limit_is_that_of_published_tables(m: int, n: int, limit: int) -> None:
    # Critical values of U for a two-sided 5 % test are limit - 1 (Mann and Whitney 1947; common tables).
    assert rank_limit(m, n) == limit


def test_below_six_boots_there_is_no_verdict() -> None:
    judged = judge_times(side("a", 1, 1, 1, 1, 1), side("b", 9, 9, 9, 9, 9), 0.01, "host")
    assert judged.verdict == "inconclusive"
    assert "screening only" in judged.reasons[0]


def test_a_clear_change_is_found_and_emulated_time_is_never_reliable() -> None:
    draw = random.Random(1)
    base, head = side("a", *boots(draw, 8)), side("b", *boots(draw, 8, 1.2))
    assert judge_times(base, head, 0.01, "host").verdict == "regression"
    assert judge_times(base, head, 0.01, "host").evidence == "reliable"
    assert judge_times(base, head, 0.01, "tcg").evidence == "partial"
    assert judge_times(head, base, 0.01, "host").verdict == "improvement"


def test_a_quiet_kernel_against_itself_is_equivalent() -> None:
    draw = random.Random(2)
    judged = judge_times(side("a", *boots(draw, 10, cv=0.001)), side("a", *boots(draw, 10, cv=0.001)), 0.01, "host")
    assert judged.verdict == "equivalent"


def test_false_verdicts_on_equal_kernels_stay_at_the_stated_level() -> None:
    draw = random.Random(3)
    wrong = sum(
        judge_times(side("a", *boots(draw, 8, cv=0.05)), side("a", *boots(draw, 8, cv=0.05)), 0.01, "host").verdict
        in ("regression", "improvement")
        for _ in range(1000)
    )
    assert wrong <= 70  # 5 % of 1000 and three standard errors


def test_one_wild_boot_does_not_decide() -> None:
    draw = random.Random(4)
    judged = judge_times(side("a", *boots(draw, 8)), side("b", *boots(draw, 7), 900.0), 0.01, "host")
    assert judged.verdict in ("equivalent", "inconclusive")
