# SPDX-License-Identifier: GPL-2.0-only
"""Steps between the kernels of a timed ladder are found. Drift and noise are no steps."""

import random
from math import exp

import pytest

from kassay.analysis.statistics.segments import LadderBoot, boundaries


def ladder(levels: list[float], blocks: int, seed: int = 1, cv: float = 0.01, each: int = 1) -> list[LadderBoot]:
    """Every kernel `each` times per block in random order; levels: logarithms."""
    draw, made = random.Random(seed), []
    for block in range(blocks):
        kernels = list(range(len(levels))) * each
        draw.shuffle(kernels)
        made += [LadderBoot(block, k, 100 * exp(levels[k] + draw.gauss(0, cv))) for k in kernels]
    return made


@pytest.mark.parametrize(("blocks", "each"), [(4, 1), (9, 1), (3, 2), (1, 6)])
def test_one_step_is_found_where_it_is(blocks: int, each: int) -> None:
    found = boundaries(ladder([0, 0, 0.2, 0.2, 0.2, 0.2], blocks, each=each))
    assert [boundary.at for boundary in found] == [2]
    assert found[0].p <= 0.001 and found[0].level == 0.05


def test_two_steps_are_found_in_the_order_of_the_ladder() -> None:
    found = boundaries(ladder([0, 0, 0.5, 0.5, 0.4, 0.4], blocks=9))
    assert [boundary.at for boundary in found] == [2, 4]
    assert {boundary.level for boundary in found} == {0.05, 0.05 * 3 / 4}


def test_kernels_that_do_not_differ_have_no_boundary() -> None:
    rates = [bool(boundaries(ladder([0] * 5, 5, seed=seed), draws=499)) for seed in range(100)]
    assert sum(rates) <= 12


def test_equal_values_have_no_boundary() -> None:
    assert boundaries([LadderBoot(block, kernel, 5.0) for block in range(6) for kernel in range(4)]) == ()


def test_drift_from_block_to_block_is_no_boundary() -> None:
    boots = [LadderBoot(block, kernel, exp(0.3 * block)) for block in range(8) for kernel in range(4)]
    assert boundaries(boots) == ()


def test_failed_boots_may_be_missing_and_even_a_whole_kernel() -> None:
    boots = ladder([0, 0, 9, 0.3, 0.3], blocks=8)
    kept = [boot for place, boot in enumerate(boots) if boot.kernel != 2 and place % 9]
    assert [boundary.at for boundary in boundaries(kept)] == [3]


def test_p_is_that_of_the_relabellings() -> None:
    boots = [LadderBoot(block, kernel, 1.0 + kernel) for block in range(4) for kernel in range(2)]
    (boundary,) = boundaries(boots, alpha=0.2)
    assert abs(boundary.p - 2 / 2**4) < 0.01


def test_the_answer_is_the_same_every_time() -> None:
    boots = ladder([0, 0.005, 0.01, 0.02], blocks=6)
    assert boundaries(boots, 0.5) == boundaries(list(boots), 0.5)


def test_too_short_a_ladder_has_no_boundary_and_bad_values_are_refused() -> None:
    assert boundaries([]) == boundaries([LadderBoot(0, 0, 1.0), LadderBoot(1, 0, 2.0)]) == ()
    with pytest.raises(ValueError, match="above zero"):
        boundaries([LadderBoot(0, 0, 0.0)])
