# SPDX-License-Identifier: GPL-2.0-only
"""The test in blocks: its p is the share of relabellings, its level is kept, and its estimate is the effect."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, isclose, log, prod
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.analysis.statistics import blocked
from kassay.analysis.statistics.blocked import Boot
from tests.analysis.statistics.sessions import drawn, flat

SHAPES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=3)


@st.composite
def small_sessions(draw: st.DrawFn) -> list[Boot]:
    """Up to four blocks of up to 2+2 boots, with many ties; at least one block has both kernels."""
    shapes = [*draw(SHAPES), (draw(st.integers(1, 2)), draw(st.integers(1, 2)))]
    value = st.sampled_from((90.0, 100.0, 100.0, 101.0, 150.0, 300.0))
    return [
        Boot(block, head, draw(value))
        for block, counts in enumerate(shapes)
        for head in (False, True)
        for _ in range(counts[head])
    ]


def relabelled(boots: list[Boot]) -> list[list[Boot]]:
    """The session under every choice of which boots of a block are head's."""
    numbers = sorted({boot.block for boot in boots})
    members = [[boot for boot in boots if boot.block == number] for number in numbers]
    choices = [combinations(range(len(block)), sum(boot.head for boot in block)) for block in members]
    return [
        [boot._replace(head=place in heads) for block, heads in zip(members, chosen, strict=True)
         for place, boot in enumerate(block)]
        for chosen in product(*choices)
    ]  # fmt: skip


def distance(boots: list[Boot]) -> Fraction:
    """|sum of head's mid-ranks - what is expected|, written from the definition."""
    numbers = sorted({boot.block for boot in boots})
    residuals = []
    for boot in boots:
        place = numbers.index(boot.block)
        window = [log(b.value) for b in boots if abs(numbers.index(b.block) - place) <= 1]
        residuals.append(round(log(boot.value) - median(window), 9))
    ranks = [
        Fraction(sum(o < r for o in residuals)) + Fraction(sum(o == r for o in residuals) + 1, 2) for r in residuals
    ]
    total = Fraction(0)
    for number in numbers:
        block = [(rank, boot.head) for rank, boot in zip(ranks, boots, strict=True) if boot.block == number]
        heads = [rank for rank, head in block if head]
        total += sum(heads, Fraction(0)) - Fraction(len(heads), len(block)) * sum(rank for rank, _ in block)
    return abs(total)


@given(small_sessions())
@settings(max_examples=30, deadline=None)
def test_p_is_the_share_of_relabellings_as_far_away(boots: list[Boot]) -> None:
    others = [distance(other) for other in relabelled(boots)]
    expected = sum(other >= distance(boots) for other in others) / len(others)
    assert isclose(blocked.test(boots), expected, rel_tol=1e-12)


@given(small_sessions(), st.sampled_from((0.01, 0.05, 0.1, 0.3)))
@settings(max_examples=30, deadline=None)
def test_over_all_relabellings_no_more_than_alpha_are_rejected(boots: list[Boot], alpha: float) -> None:
    ps = [blocked.test(other) for other in relabelled(boots)]
    assert sum(p <= alpha for p in ps) <= alpha * len(ps)


@pytest.mark.slow
@pytest.mark.parametrize("each", [3, 10, 24])
def test_one_block_of_everything_is_the_exact_mann_whitney_test(each: int) -> None:
    from scipy.stats import mannwhitneyu  # half a second to import

    boots = [boot._replace(block=7) for boot in drawn(each, blocks=1, each=each, effect=0.04)]
    head, base = [b.value for b in boots if b.head], [b.value for b in boots if not b.head]
    expected = mannwhitneyu(head, base, method="exact").pvalue
    assert isclose(blocked.test(boots), expected, rel_tol=1e-9)


@pytest.mark.parametrize("blocks", [3, 5, 7])
def test_blocks_of_four_reach_two_over_six_to_the_number_of_blocks(blocks: int) -> None:
    assert isclose(blocked.smallest_p(drawn(1, blocks)), 2 / 6**blocks)


def test_pairs_reach_two_over_two_to_the_number_of_pairs() -> None:
    assert isclose(blocked.smallest_p(drawn(1, blocks=6, each=1)), 2 / 2**6)


def test_more_relabellings_than_an_integer_counts_still_have_a_p() -> None:
    boots = drawn(3, blocks=30, effect=1.0)
    assert prod([comb(4, 2)] * 30) > 2**62
    assert isclose(blocked.test(boots), 2 / 6**30, rel_tol=1e-9)


def test_order_within_a_block_and_the_unit_do_not_matter() -> None:
    boots = drawn(5, effect=0.05)
    other = [boot._replace(value=boot.value * 1e-9) for boot in sorted(boots)]
    assert blocked.test(other) == blocked.test(boots)
    assert isclose(blocked.estimate(other), blocked.estimate(boots), abs_tol=2e-9)


def test_numbers_of_blocks_only_name_them() -> None:
    boots = drawn(5, effect=0.05)
    assert blocked.test([boot._replace(block=10 * boot.block + 3) for boot in boots]) == blocked.test(boots)


def test_both_kernels_alike_to_the_digit_have_p_1() -> None:
    assert blocked.test(flat([(2, 2)] * 6, effect=0.0)) == 1.0


def test_a_step_between_blocks_is_not_taken_for_the_kernel() -> None:
    boots = flat([(2, 2), (2, 2), (2, 1), (1, 2), (2, 2), (2, 2)], effect=0.0, drift=0.3)
    assert blocked.test(boots) == 1.0


def test_shift_is_head_measured_in_another_unit() -> None:
    boots = drawn(8, effect=0.1)
    moved = [boot._replace(value=boot.value / exp(0.07)) if boot.head else boot for boot in boots]
    assert blocked.test(boots, 0.07) == blocked.test(moved)


@pytest.mark.parametrize(
    "shapes", [[(2, 2)] * 3, [(1, 1)] * 5, [(6, 6)], [(2, 2), (2, 1), (1, 2), (2, 0), (0, 2), (2, 1)]]
)
@pytest.mark.parametrize("effect", [-0.5, 0.001, 0.05, 2.0])
def test_without_noise_the_estimate_is_the_effect_whatever_boots_failed(
    shapes: list[tuple[int, int]], effect: float
) -> None:
    assert isclose(blocked.estimate(flat(shapes, effect)), effect, abs_tol=3e-9)


def test_swapping_the_kernels_turns_estimate_and_interval_around() -> None:
    boots = drawn(2, effect=0.04)
    swapped = [boot._replace(head=not boot.head) for boot in boots]
    ends, turned = blocked.interval(boots, 0.05), blocked.interval(swapped, 0.05)
    assert ends is not None and turned is not None
    assert isclose(blocked.estimate(swapped), -blocked.estimate(boots), abs_tol=2e-9)
    width = ends[1] - ends[0]
    assert isclose(turned[0], -ends[1], abs_tol=3e-4 * width) and isclose(turned[1], -ends[0], abs_tol=3e-4 * width)


@pytest.mark.parametrize("seed", range(8))
def test_the_interval_ends_where_the_test_begins_to_reject(seed: int) -> None:
    boots = drawn(seed, blocks=6, effect=0.05)
    ends = blocked.interval(boots, 0.05)
    assert ends is not None
    low, high = ends
    width = high - low
    assert low < blocked.estimate(boots) < high
    for sign, end in ((-1, low), (1, high)):
        inside = [blocked.test(boots, end - sign * width * part) for part in (0.0002, 0.0004)]
        outside = [blocked.test(boots, end + sign * width * part) for part in (0.0, 0.01, 0.1, 0.5, 1.0)]
        assert max(inside) > 0.05 and max(outside) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.016, 0.05])
def test_zero_lies_outside_the_interval_only_where_the_test_rejects(alpha: float) -> None:
    apart = 0
    for seed in range(150):
        boots = drawn(seed, blocks=4, effect=0.06, cv=0.03)[: 11 + seed % 5]
        ends = blocked.interval(boots, alpha)
        if ends is not None and not ends[0] <= 0 <= ends[1]:
            apart += 1
            assert blocked.test(boots) <= alpha
    assert apart > 50


def test_a_stricter_level_gives_a_wider_interval() -> None:
    boots = drawn(4, blocks=12)
    widths = []
    for alpha in (0.2, 0.05, 0.016):
        ends = blocked.interval(boots, alpha)
        assert ends is not None
        widths.append(ends[1] - ends[0])
    assert widths == sorted(widths)


def test_too_few_boots_have_no_interval() -> None:
    assert blocked.interval(drawn(1, blocks=2), 0.05) is None
    assert blocked.interval(drawn(1, blocks=3), 0.009) is None


def test_an_interval_without_noise_closes_around_the_effect() -> None:
    ends = blocked.interval(flat([(2, 2)] * 6, 0.05), 0.05)
    assert ends is not None and isclose(ends[0], 0.05, abs_tol=5e-9) and isclose(ends[1], 0.05, abs_tol=5e-9)


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_a_value_that_has_no_logarithm_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        blocked.test([Boot(0, False, 1.0), Boot(0, True, value)])


@pytest.mark.parametrize("boots", [[], [Boot(0, True, 1.0)], [Boot(0, False, 1.0), Boot(1, True, 1.0)]])
def test_boots_that_share_no_block_are_refused(boots: list[Boot]) -> None:
    with pytest.raises(ValueError, match="no block has boots of both kernels"):
        blocked.test(boots)
