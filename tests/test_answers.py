# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that the question does not compare are judged when somebody asks for them."""

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from kassay.analysis.analyse import analyse
from kassay.analysis.itemised import chosen
from kassay.answers import _Read, _sides
from kassay.spec.rules import question_of
from tests.analysis.plans import plan_of
from tests.analysis.sides import STATE, evidence, measurement

KERNELS = ("debian:6.0", "debian:6.1", "debian:6.2", "debian:6.3")
HUGE = (("range.AnonHugePages", "16384"), *STATE[1:])


def ladder(*states: Any) -> _Read:
    """A ladder of kernels whose page state is this."""
    plan = plan_of(len(states), question="ladder")
    measured = tuple(
        structs.replace(
            evidence(name, measurement([100, 100, 100], before=state, run=f"r{at}"), index=at), cell=plan.cells[at]
        )
        for at, (name, state) in enumerate(zip(KERNELS, states, strict=False))
    )
    folder: Any = SimpleNamespace(plan=plan)
    return _Read(folder, (), measured, analyse(plan, measured, question_of(plan.experiment)))


@pytest.mark.parametrize("kernels", [(KERNELS[0], KERNELS[2]), (KERNELS[2], KERNELS[0])])
def test_kernels_between_which_a_ladder_has_others_are_judged_like_neighbours(kernels: tuple[str, str]) -> None:
    for verdict, states in (
        ("state-mismatch", (STATE, STATE, HUGE, STATE)),
        ("", (STATE, HUGE, STATE, HUGE)),
    ):
        found = chosen(_sides(ladder(*states), kernels), kernels, None, {})
        assert [one.verdict for one in found] == [verdict, verdict]


def test_nothing_is_judged_twice() -> None:
    read = ladder(STATE, STATE, HUGE, HUGE)
    for kernels in ((), KERNELS[:2], KERNELS[:1], None):
        assert len(_sides(read, kernels)) == len(read.compared.findings) == 4
    assert len(_sides(read, KERNELS[1::2])) == 5
