# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on time: what the boots of two kernels allow to be said, and no more."""

import random
from math import exp

import msgspec
import pytest

from kassay.analysis.statistics.planning import threshold
from kassay.analysis.timed import ORDER_DOUBTS, Session, check_control, judge_times
from kassay.model.reason import reason
from kassay.model.reason_texts import reason_text
from tests.analysis.sides import side

ONE_LOOK = Session(looks=(8,), threshold=threshold(1), look=8)
FIVE_LOOKS = Session(looks=(6, 10, 14, 18, 24), threshold=threshold(5), look=6)


def boots(draw: random.Random, n: int, factor: float = 1.0, cv: float = 0.02) -> list[float]:
    return [100 * factor * exp(draw.gauss(0, cv)) for _ in range(n)]


def test_below_six_boots_there_is_no_verdict() -> None:
    judged = judge_times(side("a", 1, 1, 1, 1, 1), side("b", 9, 9, 9, 9, 9), 0.01, ONE_LOOK)
    assert (judged.verdict, judged.interval) == ("inconclusive", None)
    assert judged.reasons == (reason("screening-only", boots=5, needed=6),)


def test_a_clear_change_is_found_in_the_direction_that_the_metric_is_better_in() -> None:
    draw = random.Random(1)
    base, head = side("a", *boots(draw, 8)), side("b", *boots(draw, 8, 1.2))
    judged = judge_times(base, head, 0.01, ONE_LOOK)
    assert (judged.verdict, judged.evidence, judged.reasons) == ("regression", "reliable", ())
    assert judge_times(head, base, 0.01, ONE_LOOK).verdict == "improvement"
    assert judge_times(base, head, 0.01, ONE_LOOK, "higher").verdict == "improvement"
    assert judge_times(base, head, 0.01, ONE_LOOK, "unknown").verdict == "inconclusive"


def test_six_boots_in_blocks_reach_the_threshold_of_five_looks_only_when_they_stand_apart() -> None:
    base = side("a", 100, 101, 102, 100.5, 101.5, 100.2)
    apart = judge_times(base, side("b", *(1.3 * value for value in base.runs)), 0.02, FIVE_LOOKS)
    assert apart.verdict == "regression"
    assert apart.timing is not None and apart.timing.p == pytest.approx(2 / 6**3)
    mixed = judge_times(base, side("b", 100.1, 101.1, 103, 100, 101, 102), 0.001, FIVE_LOOKS)
    assert mixed.verdict == "inconclusive"
    undecided = mixed.reasons[0]
    assert (undecided.code, undecided["boots"], undecided["most"]) == ("undecided", 6, 24)


def test_a_quiet_kernel_against_itself_is_equivalent() -> None:
    draw = random.Random(2)
    judged = judge_times(side("a", *boots(draw, 10, cv=0.001)), side("a", *boots(draw, 10, cv=0.001)), 0.01, ONE_LOOK)
    assert judged.verdict == "equivalent"


@pytest.mark.slow
def test_false_verdicts_on_equal_kernels_stay_at_the_stated_level() -> None:
    draw = random.Random(3)
    wrong = sum(
        judge_times(side("a", *boots(draw, 8, cv=0.05)), side("a", *boots(draw, 8, cv=0.05)), 0.01, ONE_LOOK).verdict
        in ("regression", "improvement")
        for _ in range(300)
    )
    assert wrong <= 27  # 5 % of 300 and three standard errors


def test_one_wild_boot_neither_decides_nor_hides_but_weakens_the_evidence() -> None:
    draw = random.Random(4)
    base = side("a", *boots(draw, 10))
    wild = judge_times(base, side("b", *boots(draw, 9), 900.0), 0.01, ONE_LOOK)
    assert wild.verdict in ("equivalent", "inconclusive")
    slower = judge_times(base, side("b", *boots(draw, 9, 1.2), 900.0), 0.01, ONE_LOOK)
    assert (slower.verdict, slower.evidence) == ("regression", "robust-only")
    assert slower.reasons[-1].code == "boots-stray" and reason_text(slower.reasons[-1]).endswith("% on b")


def test_boots_that_scatter_all_over_are_unstable() -> None:
    draw = random.Random(5)
    judged = judge_times(side("a", *boots(draw, 14, cv=0.3)), side("b", *boots(draw, 14, 9, cv=0.3)), 0.01, ONE_LOOK)
    assert (judged.verdict, judged.evidence) == ("regression", "unstable")


def test_a_boot_lost_for_good_makes_the_evidence_partial_and_keeps_the_verdict() -> None:
    draw = random.Random(6)
    judged = judge_times(side("a", *boots(draw, 8)), side("b", *boots(draw, 7, 1.4), failed=1), 0.01, ONE_LOOK)
    assert (judged.verdict, judged.evidence) == ("regression", "partial")
    assert judged.reasons[0] == reason("boots-lost", count=1)
    assert judged.timing is not None and judged.timing.failures is not None
    assert judged.timing.failures.p == pytest.approx(1.0)  # one failure of eight says nothing of either kernel


def test_failures_of_one_side_are_an_outcome_of_their_own() -> None:
    draw = random.Random(7)
    judged = judge_times(side("a", *boots(draw, 9)), side("b", *boots(draw, 9), failed=9), 0.01, ONE_LOOK)
    more = next(one for one in judged.reasons if one.code == "boots-fail-more")
    names = ("base", "base_failed", "base_tried", "head", "head_failed", "head_tried")
    assert [more[name] for name in names] == ["a", 0, 9, "b", 9, 18]


@pytest.mark.parametrize("order", ["sequential", "sandwich", "unknown"])
def test_an_order_that_is_not_random_is_never_more_than_partial(order: str) -> None:
    draw = random.Random(8)
    doubt = ORDER_DOUBTS[order]
    assert doubt is not None
    session = Session(looks=(8,), threshold=0.05, look=8, blocks=order == "sandwich", doubts=(doubt,))
    judged = judge_times(side("a", *boots(draw, 8)), side("b", *boots(draw, 8, 1.4)), 0.01, session)
    assert (judged.verdict, judged.evidence) == ("regression", "partial")
    assert doubt in judged.reasons


def test_a_coarse_clock_widens_the_interval_and_forbids_equivalence() -> None:
    """Four rounds of 25 ticks each: the clock cannot tell 4 % apart."""
    base, head = side("a", *[100.0] * 4, *[104.0] * 4), side("b", *[100.0, 104.0] * 4)
    judged = judge_times(base, head, 0.02, ONE_LOOK)
    assert judged.timing is not None and judged.timing.tick == pytest.approx(0.04, rel=0.01)
    assert judged.verdict == "inconclusive"
    assert judged.interval is not None and judged.interval[0] < -0.04 and judged.interval[1] > 0.04


def test_a_clock_that_gives_one_value_only_cannot_prove_equivalence() -> None:
    fine = msgspec.structs.replace(side("a", *[100.0] * 8), rounds=(100.0, 100.01, 100.02, 100.04, 100.06, 100.09))
    assert judge_times(fine, fine, 0.02, ONE_LOOK).verdict == "equivalent"
    judged = judge_times(side("a", *[100.0] * 8), fine, 0.02, ONE_LOOK)
    assert judged.verdict == "inconclusive"
    assert judged.reasons[0] == reason("clock-step-not-known", "a")


def test_between_looks_and_before_the_first_nothing_is_judged() -> None:
    base, head = side("a", *range(100, 107)), side("b", *range(200, 207))
    judged = judge_times(base, head, 0.02, FIVE_LOOKS._replace(look=None))
    assert (judged.verdict, judged.interval) == ("inconclusive", None)
    assert judged.reasons[0] == reason("look-not-reached", boots=6)


def test_a_control_of_which_no_difference_could_show_is_none() -> None:
    """Two control boots three times as slow: p cannot get below the level, so passing would prove nothing."""
    assert check_control(side("a", *range(100, 106)), side("a", 300, 301), FIVE_LOOKS) is None


def test_a_control_that_agrees_passes_and_one_that_does_not_is_told() -> None:
    draw = random.Random(9)
    base = side("a", *boots(draw, 10))
    same = check_control(base, side("a", *boots(draw, 10)), FIVE_LOOKS)
    other = check_control(base, side("a", *boots(draw, 10, 1.3)), FIVE_LOOKS)
    assert same is not None and same.passed
    assert other is not None and not other.passed and other.change == pytest.approx(0.3, abs=0.05)
    assert check_control(base, side("a"), FIVE_LOOKS) is None


def test_times_of_zero_are_no_times() -> None:
    assert judge_times(side("a", *[0.0] * 8), side("b", *[1.0] * 8), 0.01, ONE_LOOK).verdict == "inconclusive"


def test_blocks_that_have_one_kernel_each_do_not_protect_from_drift() -> None:
    draw = random.Random(8)
    one, other = side("a", *boots(draw, 8)), side("b", *boots(draw, 8, 1.4))
    other = msgspec.structs.replace(other, blocks=tuple(range(8, 16)))
    judged = judge_times(one, other, 0.01, ONE_LOOK)
    assert (judged.verdict, judged.evidence) == ("regression", "partial")
    assert ORDER_DOUBTS["unknown"] in judged.reasons
