# SPDX-License-Identifier: GPL-2.0-only
"""Every order makes the same runs; only the sequence differs."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.experiment import ORDERS
from kassay.plan.expand import blocks, perturbation


@given(order=st.sampled_from(ORDERS), kernels=st.integers(1, 8), repeats=st.integers(1, 12), seed=st.integers(0, 99))
def test_every_kernel_gets_every_repeat_once(order: str, kernels: int, repeats: int, seed: int) -> None:
    made = Counter((m.kernel, m.repeat) for block in blocks(order, kernels, repeats, seed) for m in block)
    assert made == Counter((k, r) for k in range(kernels) for r in range(repeats))


@given(kernels=st.integers(2, 8), repeats=st.integers(1, 12), seed=st.integers(0, 99))
def test_interleaved_blocks_hold_every_kernel_and_repeat_with_the_seed(kernels: int, repeats: int, seed: int) -> None:
    made = blocks("interleaved", kernels, repeats, seed)
    assert all(sorted(m.kernel for m in block) == list(range(kernels)) for block in made)
    assert made == blocks("interleaved", kernels, repeats, seed)


def test_interleaving_is_not_always_the_same_order() -> None:
    orders = {tuple(m.kernel for m in block) for block in blocks("interleaved", 3, 50, 1)}
    assert len(orders) == 6


def test_a_sandwich_cancels_a_linear_drift() -> None:
    sequence = [m.kernel for block in blocks("sandwich", 2, 4, 1) for m in block]
    places = {kernel: [i for i, k in enumerate(sequence) if k == kernel] for kernel in (0, 1)}
    assert sum(places[0]) == sum(places[1])


def test_sequential_finishes_a_kernel_before_the_next() -> None:
    assert [m.kernel for block in blocks("sequential", 3, 2, 1) for m in block] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("number", [1, 2, 9])
def test_perturbations_are_seeded_and_differ_between_kernels(number: int) -> None:
    assert perturbation(1, 0, number) == perturbation(1, 0, number)
    assert perturbation(1, 0, number) != perturbation(1, 1, number)
    assert perturbation(1, 0, number) != perturbation(2, 0, number)
    assert perturbation(1, 0, number).stack_bytes % 16 == 0


@given(kernels=st.integers(2, 6), repeats=st.integers(1, 24), seed=st.integers(0, 99))
def test_timed_blocks_hold_every_kernel_twice_and_the_first_twice_more(kernels: int, repeats: int, seed: int) -> None:
    made = blocks("interleaved", kernels, repeats, seed, timed=True, control=True)
    whole = made[: repeats // 2]
    wanted = sorted([*range(kernels), *range(kernels)])
    assert all(sorted(m.kernel for m in block if not m.control) == wanted for block in whole)
    assert all([m.kernel for m in block if m.control] == [0, 0] for block in whole)
    assert len({(m.kernel, m.repeat) for block in made for m in block}) == sum(map(len, made))


def test_every_one_of_the_six_orders_of_a_timed_block_is_drawn() -> None:
    made = blocks("interleaved", 2, 240, 1, timed=True)
    assert len({tuple(m.kernel for m in block) for block in made}) == 6


def test_a_timed_sandwich_is_one_block() -> None:
    assert [m.kernel for m in blocks("sandwich", 2, 2, 1, timed=True)[0]] == [0, 1, 1, 0]
