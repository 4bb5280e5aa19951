# SPDX-License-Identifier: GPL-2.0-only
"""Many cells at once: the corrections of their p, and the one statement about all of them."""

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.statistics import blocked
from kassay.analysis.statistics.multiplicity import benjamini_hochberg, holm, pooled
from tests.analysis.statistics.sessions import drawn, flat

PS = st.lists(st.floats(0, 1), max_size=20)


def test_holm_stops_at_the_first_that_fails() -> None:
    assert holm((0.01, 0.04, 0.03, 0.005), 0.05) == (True, False, False, True)


def test_benjamini_and_hochberg_let_a_later_p_carry_earlier_ones() -> None:
    assert benjamini_hochberg((0.01, 0.04, 0.03, 0.005), 0.05) == (True, True, True, True)
    assert benjamini_hochberg((0.02, 0.9, 0.8, 0.04), 0.05) == (False,) * 4


def test_a_p_at_its_threshold_is_rejected() -> None:
    assert holm((0.05,), 0.05) == benjamini_hochberg((0.05,), 0.05) == (True,)


def test_holm_divides_the_level_by_the_hypotheses_that_are_left() -> None:
    assert holm((0.04, 0.012, 0.024, 0.016), 0.05) == (True,) * 4


def test_the_five_cells_of_the_seed_keep_two_under_holm_and_four_under_bh() -> None:
    ps = (0.051, 0.0039, 0.039, 0.0117, 0.031)
    assert holm(ps, 0.05) == (False, True, False, True, False)
    assert benjamini_hochberg(ps, 0.05) == (False, True, True, True, True)


@given(PS, st.sampled_from((0.01, 0.05, 0.2)))
def test_what_holm_rejects_bh_rejects_and_so_does_no_correction(ps: list[float], alpha: float) -> None:
    for strict, loose, p in zip(holm(ps, alpha), benjamini_hochberg(ps, alpha), ps, strict=True):
        assert strict <= loose <= (p <= alpha)


@given(PS)
def test_the_order_of_the_cells_does_not_matter(ps: list[float]) -> None:
    for rule in (holm, benjamini_hochberg):
        assert rule(ps[::-1], 0.05) == rule(ps, 0.05)[::-1]


def test_a_family_of_one_is_the_cell() -> None:
    cell = drawn(3, effect=0.05)
    whole = pooled([cell], 0.05)
    assert whole == (blocked.test(cell), blocked.estimate(cell), blocked.interval(cell, 0.05))
    assert pooled([cell]) == whole


def test_cells_that_are_each_too_few_are_enough_together() -> None:
    cells = [drawn(seed, blocks=1, effect=0.5) for seed in range(4)]
    assert min(blocked.test(cell) for cell in cells) > 0.3
    assert isclose(pooled(cells).p, 2 / 6**4)


def test_levels_of_cells_may_differ_a_thousandfold() -> None:
    cells = [drawn(seed, effect=0.05) for seed in range(3)]
    scaled = [[b._replace(value=b.value * 1000**place) for b in cell] for place, cell in enumerate(cells)]
    assert pooled(scaled).p == pooled(cells).p


def test_a_shift_common_to_cells_of_different_sizes_is_found() -> None:
    whole = pooled([flat([(2, 2)] * 2, 0.07), flat([(2, 1)] * 6, 0.07), flat([(5, 5)], 0.07)])
    assert isclose(whole.estimate, 0.07, abs_tol=3e-9)


def test_no_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one cell"):
        pooled([])
