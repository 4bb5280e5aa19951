# SPDX-License-Identifier: GPL-2.0-only
"""The exact distribution of the rank sum over all relabellings, and its limit where counting takes too long."""

from collections import Counter
from itertools import combinations, product
from math import comb, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.analysis.statistics import relabelling
from kassay.analysis.statistics.relabelling import BlockWeights, deviation, two_sided_p

WEIGHTS = st.lists(st.integers(-40, 40), min_size=1, max_size=5)


@st.composite
def blocks(draw: st.DrawFn) -> BlockWeights:
    weights = draw(WEIGHTS)
    return BlockWeights(tuple(weights), tuple(weights[: draw(st.integers(0, len(weights)))]))


@given(st.lists(blocks(), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_p_counts_every_choice_of_heads(made: list[BlockWeights]) -> None:
    sums = [sum(map(sum, chosen)) for chosen in product(*(combinations(b.weights, len(b.heads)) for b in made))]
    mean_times = sum(sums)
    away = abs(len(sums) * sum(map(sum, (b.heads for b in made))) - mean_times)
    extreme = sum(abs(len(sums) * each - mean_times) >= away for each in sums)
    assert isclose(two_sided_p(made), extreme / len(sums), rel_tol=1e-12)


def test_deviation_is_zero_in_the_middle_and_turns_sign_with_the_labels() -> None:
    high, low = BlockWeights((1, 2, 3, 10), (3, 10)), BlockWeights((1, 2, 3, 10), (1, 2))
    assert deviation([high]) == -deviation([low]) > 0
    assert deviation([high, low]) == 0


def test_beyond_64_bits_the_tail_agrees_with_counting_in_whole_numbers() -> None:
    weights = [tuple((7 * block + 11 * place**2) % 60 for place in range(4)) for block in range(26)]
    made = [BlockWeights(w, (w[0], w[3])) for w in weights]
    exact: Counter[int] = Counter({0: 1})
    for block in made:
        after: Counter[int] = Counter()
        for chosen in combinations(block.weights, 2):
            for total, count in exact.items():
                after[total + sum(chosen)] += count
        exact = after
    total = comb(4, 2) ** 26
    observed, centre = 2 * sum(sum(b.heads) for b in made), sum(sum(b.weights) for b in made)
    extreme = sum(count for s, count in exact.items() if abs(2 * s - centre) >= abs(observed - centre))
    assert total > 2**62
    assert 0 < extreme < total and isclose(two_sided_p(made), extreme / total, rel_tol=1e-11)


@pytest.mark.parametrize(
    "heads", [tuple(range(30, 60)), tuple(range(30)), tuple(range(6, 51, 3)), (1, 5, 9, 30, 58, 59)]
)
def test_the_normal_limit_is_close_to_counting_where_it_takes_over(
    heads: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = [BlockWeights(tuple(range(60)), heads), BlockWeights((1, 5, 30, 44), (5, 44))]
    exact = two_sided_p(blocks)
    monkeypatch.setattr(relabelling, "MOST_WORK", 0)
    assert isclose(two_sided_p(blocks), exact, abs_tol=0.004)


def test_hundreds_of_values_in_one_block_are_judged_at_once() -> None:
    weights = tuple(range(2000))
    assert two_sided_p([BlockWeights(weights, weights[1050:])]) < 1e-200
    assert two_sided_p([BlockWeights(weights, weights[::2])]) > 0.9
