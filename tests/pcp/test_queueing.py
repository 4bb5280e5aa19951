# SPDX-License-Identifier: GPL-2.0-only
"""Mean value analysis, against the closed form of the machine-repairman model and against a simulation."""

from math import comb, factorial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.labs.pcp.queueing import lock_model, wait_bounds
from tests.pcp.queue import simulated_wait

CPUS = st.integers(1, 60)
TIMES = st.floats(0.01, 100)


def closed_form(cpus: int, think: float, hold: float) -> float:
    """Utilisation of the repairman: Erlang's steady state of a finite source."""
    ratio = hold / think
    weights = [comb(cpus, n) * factorial(n) * ratio**n for n in range(cpus + 1)]
    return 1 - weights[0] / sum(weights)


@given(CPUS, TIMES, TIMES)
def test_exponential_times_have_the_utilisation_of_the_closed_form(cpus: int, think: float, hold: float) -> None:
    assert lock_model(cpus, think, hold).utilisation == pytest.approx(closed_form(cpus, think, hold), rel=1e-6)


@given(CPUS, TIMES, TIMES)
def test_waits_lie_within_the_bounds(cpus: int, think: float, hold: float) -> None:
    low, high = wait_bounds(cpus, think, hold)
    assert low * (1 - 1e-9) - 1e-9 <= lock_model(cpus, think, hold).wait <= high * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(("cpus", "think"), [
    (4, 10), *(pytest.param(*rest, marks=pytest.mark.slow) for rest in ((16, 20), (16, 8), (64, 100))),
])  # fmt: skip
def test_a_simulation_waits_as_the_model_says(cpus: int, think: float) -> None:
    draw = Random(2)
    expected = lock_model(cpus, think, 1).wait

    def thinking() -> float:
        return draw.expovariate(1 / think)

    random_hold = simulated_wait(cpus, thinking, lambda: draw.expovariate(1), turns=200_000, warmup=20_000)
    assert random_hold == pytest.approx(expected, rel=0.06)
    assert expected * 0.45 < simulated_wait(cpus, thinking, lambda: 1) < expected * 1.01
