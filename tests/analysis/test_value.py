# SPDX-License-Identifier: GPL-2.0-only
"""The value of one kernel alone."""

import pytest

from kassay.analysis.value import primary_value, values
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement


def test_one_kernel_has_a_value_without_being_compared() -> None:
    plan = plan_of(1, question="value", repeats=1, perturb=0)
    found = primary_value(plan, (evidence("a", measurement([130, 100, 100, 100])),))
    assert found.side.value == measured(100)
    assert (found.metric, found.unit, found.refused) == ("iteration", "instructions/page", ())


def measured(ticks: int) -> float | None:
    plan = plan_of(1, question="value", repeats=1, perturb=0)
    return primary_value(plan, (evidence("a", measurement([ticks] * 4)),)).side.value


def test_twice_the_ticks_are_twice_the_value() -> None:
    one, other = measured(100), measured(200)
    assert one is not None and other == pytest.approx(2 * one)


def test_what_the_gate_says_of_it_is_told_once() -> None:
    plan = plan_of(1, question="value")
    dirty = measurement([100, 100], foreign=(("kworker/0:1", 470_000),))
    found = primary_value(plan, (evidence("a", dirty),))
    assert [one.code for one in found.refused] == ["others-took-time"]


def test_without_a_run_there_is_no_value() -> None:
    plan = plan_of(1, question="value")
    (found,) = values(plan, (evidence("a", failures=("panic",)),))
    assert found.side.value is None and [one.code for one in found.refused] == ["no-plain-run"]
