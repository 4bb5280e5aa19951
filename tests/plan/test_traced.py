# SPDX-License-Identifier: GPL-2.0-only
"""With a prediction each cell has one more plain run, which records a trace. All other runs are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kassay.model.records import content_id, to_json
from kassay.plan.expand import profile_of, traced_rounds
from tests.analysis.plans import plan_of


def test_each_cell_has_one_traced_run_after_its_other_plain_ones() -> None:
    plain, traced = plan_of(2, repeats=2, perturb=2), plan_of(2, repeats=2, perturb=2, predict=("zen4",))
    assert len(traced.runs) == len(plain.runs) + len(plain.cells)
    modes = {
        (run.repeat, run.perturbation.number): profile_of(traced.experiment, run)
        for run in sorted(traced.runs, key=lambda run: run.repeat)
    }
    assert modes == {(0, 0): "stacks", (1, 0): "counts", (2, 0): "trace", (3, 1): "counts", (4, 2): "counts"}


def test_trace_does_not_change_perturbations() -> None:
    moved = {run.perturbation for run in plan_of(2, repeats=2, perturb=2).runs}
    assert {run.perturbation for run in plan_of(2, repeats=2, perturb=2, predict=("zen4",)).runs} == moved


def test_an_experiment_that_predicts_nothing_keeps_its_hash() -> None:
    experiment = plan_of(2, repeats=2, perturb=2).experiment
    assert b"predict" not in to_json(experiment) and b"trace" not in to_json(experiment)
    assert content_id(structs.replace(experiment, predict=("zen4",))) != content_id(experiment)


@pytest.mark.parametrize(
    ("rounds", "pairs"), [(20, (5, 6, 11, 12, 17, 18)), (8, (3, 4, 5, 6, 7, 8)), (4, (3, 4)), (3, (2, 3)), (2, (1, 2))]
)
def test_pairs_of_rounds_are_evenly_drawn(rounds: int, pairs: tuple[int, ...]) -> None:
    assert traced_rounds(rounds) == pairs


@given(st.integers(2, 100_000) | st.none())
def test_traced_rounds_are_pairs_of_the_run(rounds: int | None) -> None:
    found = traced_rounds(rounds)
    assert all(second == first + 1 for first, second in zip(found[::2], found[1::2], strict=True))
    assert (
        found[0] >= 1 and found[-1] <= (rounds or found[-1]) and len(set(found)) == len(found) <= (6 if rounds else 12)
    )
