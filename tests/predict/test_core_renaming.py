# SPDX-License-Identifier: GPL-2.0-only
"""A core does not wait for some things.

It does not wait for memory whose operand was renamed, nor for an atomic operation's data if the next one has its own,
nor with dispatch if a branch can be predicted ahead.
"""

from pathlib import Path

import pytest

from kassay.labs.predict.decode import BASED
from tests.predict.runs import answer, each, loop, rounds
from tests.predict.tokens import LOADS, Block, Tokens, insn, load, store

ADD = insn(data="1", writes="1")
MEMORY = 0x10000


def cycles(directory: Path, tokens: Tokens, block: Block, *accesses: tuple[int, int, bool], **changed: int) -> float:
    """Cycles of each execution of a block, after some others."""
    rounds(tokens, 20, 50, lambda _: tokens.run(block, *accesses))
    return each(answer(tokens, directory, **changed), 50)


@pytest.mark.parametrize(("other", "expected"), [(False, 10), (True, 17)])
def test_a_load_by_the_registers_of_the_store_waits_for_its_value_alone(
    tmp_path: Path, other: bool, expected: int
) -> None:
    moved = [insn(data="5", writes="5")] if other else []
    tokens, block = loop([*[ADD] * 10, store(5, 1), *moved, load(5, 1)])
    accesses = ((10, MEMORY, True), (11 + len(moved), MEMORY, False))
    took = cycles(tmp_path, tokens, block, *accesses, store_forward=7, store_forward_same=0, width=8)
    assert took == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(("traits", "expected"), [(BASED, 10), (0, 17)])
def test_a_load_by_one_register_and_a_constant_waits_for_its_value_alone(
    tmp_path: Path, traits: int, expected: int
) -> None:
    """On a core where it does not matter which registers the store had."""
    loaded = insn(latency=0, address="6", writes="1", load=8, ports=LOADS, traits=traits)
    tokens, block = loop([*[ADD] * 10, store(5, 1), loaded])
    accesses = ((10, MEMORY, True), (11, MEMORY, False))
    changed = {"forward_based": 1, "store_forward": 7, "store_forward_same": 0, "width": 8}
    assert cycles(tmp_path, tokens, block, *accesses, **changed) == pytest.approx(expected, rel=0.05)


def test_an_access_of_16_bytes_in_two_parts_is_one(tmp_path: Path) -> None:
    wide = insn(latency=0, address="5", data="1", store=16, ports="c0x1")
    tokens, block = loop([wide] * 16)
    accesses = [(n, MEMORY + 16 * n + part, True) for n in range(16) for part in (0, 8)]
    took = cycles(tmp_path, tokens, block, *accesses)
    assert took == pytest.approx(16, rel=0.05)


def test_calls_are_predicted_ahead_of_what_takes_longer(tmp_path: Path) -> None:
    tokens, block = loop([insn(writes=str(n % 8)) for n in range(39)])
    few, short = loop([insn(writes="1")])
    assert cycles(tmp_path, tokens, block, taken_branch=4) == pytest.approx(10, rel=0.05)
    assert cycles(tmp_path, few, short, taken_branch=4) == pytest.approx(4, rel=0.1)


def test_an_atomic_operation_does_not_wait_for_the_data_of_the_one_before(tmp_path: Path) -> None:
    first = insn(lock=1, address="5", data="3", writes="4", load=8, store=8)
    second = insn(lock=1, address="5", data="4", writes="2", load=8, store=8)
    tokens, block = loop([first, *[insn(data="4", writes="4")] * 10, second])
    accesses = [(n, MEMORY + 64 * (n > 0), stores) for n in (0, 11) for stores in (False, True)]
    took = cycles(tmp_path, tokens, block, *accesses, lock_drains_stores=0)
    assert took == pytest.approx(40, rel=0.05)


def test_an_exchange_gives_its_old_value_without_waiting_for_the_new_one(tmp_path: Path) -> None:
    def took(lock: int) -> float:
        exchange = insn(lock=lock, address="5", data="1", writes="1", load=8, store=8)
        tokens, block = loop([exchange, *[ADD] * 40])
        return cycles(tmp_path, tokens, block, (0, MEMORY, False), (0, MEMORY, True), lock_drains_stores=0)

    # Two chains take turns: what one execution stores is loaded by the next, while its own chain goes on.
    assert took(1) > 1.8 * took(2)
