# SPDX-License-Identifier: GPL-2.0-only
"""A session is looked at after the planned numbers of boots, and never in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.planned_looks import last_look, looks, within
from kassay.model.plan import Plan
from kassay.model.timing import LOOKS
from tests.analysis.plans import plan_of


def timed(repeats: int, kernels: int = 2) -> Plan:
    question = "compare" if kernels == 2 else "ladder"
    return plan_of(kernels, clock="tcg", repeats=repeats, perturb=0, question=question)


@pytest.mark.parametrize(
    ("repeats", "planned"),
    [(24, LOOKS), (6, (6,)), (8, (8,)), (10, (6, 10)), (18, (6, 10, 14, 18)), (30, (6, 10, 14, 18, 30)), (3, (3,))],
)
def test_looks_are_those_whose_error_is_known(repeats: int, planned: tuple[int, ...]) -> None:
    assert looks(repeats) == planned


@given(repeats=st.integers(1, 200))
def test_there_are_at_most_five_looks_and_the_last_is_the_end(repeats: int) -> None:
    planned = looks(repeats)
    assert len(planned) <= 5 and planned[-1] == repeats and list(planned) == sorted(set(planned))


@given(done=st.integers(0, 32))
def test_a_look_needs_every_boot_and_control_of_its_blocks(done: int) -> None:
    plan = timed(24)
    made = [run.id for run in plan.runs[:done]]
    look = last_look(plan, made, ())
    assert look == (None if done < 18 else 6 if done < 30 else 10)


def test_a_boot_that_failed_for_good_holds_up_no_look_but_an_open_one_does() -> None:
    plan = timed(24)
    first = [run.id for run in plan.runs if within(run, 6)]
    assert last_look(plan, first[1:], ()) is None
    assert last_look(plan, first[1:], first[:1]) == 6


def test_each_setting_has_an_order_of_its_own() -> None:
    """With one order for all cells, no test could tell effects of the order from effects of the kernel."""
    first, second = (plan_of(2, clock="tcg", repeats=24, perturb=0, memory_bytes=((size) << 30,)) for size in (1, 2))
    orders = [[next(c.kernel for c in plan.cells if c.id == run.cell) for run in plan.runs] for plan in (first, second)]
    assert orders[0] != orders[1]
