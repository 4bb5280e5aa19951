# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of programs, traced in a real guest and predicted: does time go the way that it goes on hardware?"""

from collections.abc import Mapping

import pytest
from benchmarks._pairs_predict import causes_of
from benchmarks._pairs_trace import operations, traced

from kassay.labs.predict.timing import timing_for

pytestmark = pytest.mark.boot
SIDES = ("imul4", "imul4_add12", "xchg", "xchg2_other", "chase:16384", "chase:262144", "branch:0", "branch:1")


@pytest.fixture(scope="module")
def causes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, float]]:
    (run,) = traced(SIDES, tmp_path_factory.mktemp("pairs"), lambda line: None)
    return causes_of(run, timing_for("zen4"), operations(SIDES))


@pytest.mark.parametrize(
    ("base", "head", "cause"),
    [
        ("xchg", "xchg2_other", "atomics"),
        ("chase:16384", "chase:262144", "l2"),
        ("branch:0", "branch:1", "misprediction"),
    ],
)
def test_added_work_that_cannot_be_hidden_takes_time(
    causes: Mapping[str, Mapping[str, float]], base: str, head: str, cause: str
) -> None:
    assert sum(causes[head].values()) > 1.5 * sum(causes[base].values())
    assert causes[head][cause] > causes[base].get(cause, 0.0)


def test_three_times_the_instructions_in_the_shadow_of_a_chain_take_none(
    causes: Mapping[str, Mapping[str, float]],
) -> None:
    assert sum(causes["imul4_add12"].values()) == pytest.approx(sum(causes["imul4"].values()), rel=0.02)
