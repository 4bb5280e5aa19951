# SPDX-License-Identifier: GPL-2.0-only
"""Failure rates of two kernels, by Fisher's exact test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.timed import fisher


@pytest.mark.parametrize(
    ("table", "p"),
    [((1, 9, 0, 9), "1.000"), ((5, 9, 0, 9), "0.029"), ((4, 9, 0, 9), "0.082"), ((0, 24, 6, 24), "0.022")],
)
def test_failure_rates_are_compared_exactly(table: tuple[int, int, int, int], p: str) -> None:
    assert f"{fisher(*table):.3f}" == p
    assert fisher(*table[2:], *table[:2]) == pytest.approx(fisher(*table))


@pytest.mark.slow
@given(*(st.integers(0, 40) for _ in range(4)))
def test_p_is_that_of_scipy(base_failed: int, base_other: int, head_failed: int, head_other: int) -> None:
    from scipy.stats import fisher_exact  # half a second to import

    expected = fisher_exact([[base_failed, base_other], [head_failed, head_other]]).pvalue
    found = fisher(base_failed, base_failed + base_other, head_failed, head_failed + head_other)
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_kernel_that_was_never_tried_says_nothing() -> None:
    assert fisher(0, 0, 3, 3) == 1.0


@pytest.mark.parametrize("table", [(2, 1, 0, 1), (-1, 1, 0, 1), (0, 1, 2, 1)])
def test_impossible_counts_are_refused(table: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="between 0"):
        fisher(*table)
