# SPDX-License-Identifier: GPL-2.0-only
"""An atomic operation has several times: of its value, of the next one, of a load of what it stores."""

from pathlib import Path

import pytest

from tests.predict.runs import answer, each, loop, rounds
from tests.predict.tokens import Block, Tokens, insn

MEMORY = 0x10000
ADD = insn(data="1", writes="1")
WORD = (0, MEMORY, False), (0, MEMORY, True)


def cycles(directory: Path, tokens: Tokens, block: Block, *accesses: tuple[int, int, bool], **changed: int) -> float:
    """Cycles of each execution of a block, after some others."""
    rounds(tokens, 20, 50, lambda _: tokens.run(block, *accesses))
    return each(answer(tokens, directory, **changed), 50)


def test_a_value_is_there_before_its_atomic_can_retire(tmp_path: Path) -> None:
    # The next atomic needs what the additions make of the value of this one.
    tokens, block = loop([insn(lock=1, address="5", data="1", writes="1", load=8, store=8), *[ADD] * 10])
    late = cycles(tmp_path, tokens, block, *WORD, lock_interval=0, lock_same=0, lock_drains_stores=0)
    tokens, block = loop([insn(lock=1, address="5", data="1", writes="1", load=8, store=8), *[ADD] * 10])
    early = cycles(tmp_path, tokens, block, *WORD, lock_interval=0, lock_same=0, lock_drains_stores=0, lock_value=14)
    assert late == pytest.approx(30, abs=1)
    assert early == pytest.approx(24, abs=1)


def test_a_load_of_what_an_atomic_stored_waits_until_it_is_in_the_cache(tmp_path: Path) -> None:
    def took(step: int, **changed: int) -> float:
        swap = insn(lock=1, address="5", data="1", writes="2", load=8, store=8)
        tokens, block = loop([swap, insn(latency=0, address="5", writes="1", load=8, ports="30x1"), ADD])
        return cycles(tmp_path, tokens, block, *WORD, (1, MEMORY + step, False), **changed)

    assert took(0, lock_reload=40) == pytest.approx(41, abs=1)
    assert took(8, lock_reload=40) == pytest.approx(20, abs=1)  # other bytes of the line
    assert took(0, lock_reload=24) == pytest.approx(25, abs=1)  # sooner than a plain store is forwarded


def test_an_atomic_takes_what_the_one_before_stored_without_that_way(tmp_path: Path) -> None:
    tokens, block = loop([insn(lock=1, address="5", data="3", writes="2", load=8, store=8)])
    assert cycles(tmp_path, tokens, block, *WORD, lock_reload=40) == pytest.approx(20, abs=1)


def test_a_fence_begins_some_time_after_the_store_before_it_is_in_the_cache(tmp_path: Path) -> None:
    def took(**changed: int) -> float:
        tokens, block = loop([insn(latency=0, address="5", data="3", store=8, ports="c0x1"), insn("fence_full")])
        return cycles(tmp_path, tokens, block, (0, MEMORY, True), **changed)

    assert took(fence_behind=6) - took() == pytest.approx(6, abs=0.1)


@pytest.mark.parametrize(
    ("between", "stores", "apart", "expected"), [(3, 0, 0, 18), (3, 1, 0, 25), (9, 0, 0, 25), (9, 1, 8, 17)]
)
def test_cores_differ_in_which_atomics_follow_each_other_at_once(
    tmp_path: Path, between: int, stores: int, apart: int, expected: int
) -> None:
    """Up to eight instructions and no store may stand between two of the same eight bytes."""
    swap = insn(lock=1, address="5", data="3", load=8, store=8)
    others = [*[insn(latency=0, address="6", data="3", store=8, ports="c0x1")] * stores,
              *[insn("nop")] * (between - stores)]  # fmt: skip
    tokens, block = loop([swap, *others, swap, *others])
    seconds = between + 1
    accesses = [(0, MEMORY, False), (0, MEMORY, True), *[(1, MEMORY + 64, True)] * stores,
                (seconds, MEMORY + apart, False), (seconds, MEMORY + apart, True),
                *[(seconds + 1, MEMORY + 64, True)] * stores]  # fmt: skip
    times = {"lock_latency": 16, "lock_value": 16, "lock_same": 18, "lock_again": 25, "lock_apart": 17}
    core = {"lock_near": 8, "lock_soon": 8, "lock_stores": 0, "lock_drains_stores": 0}
    rounds(tokens, 200, 1000, lambda _: tokens.run(block, *accesses))
    assert each(answer(tokens, tmp_path, **times, **core), 1000) == pytest.approx(2 * expected, abs=1)


@pytest.mark.parametrize(("apart", "expected"), [(0, 18), (8, 18), (64, 23)])
def test_two_atomics_on_one_line_and_on_two(tmp_path: Path, apart: int, expected: int) -> None:
    lines = [insn(lock=1, address="5", data="3", writes=str(n), load=8, store=8) for n in range(2)]
    tokens, block = loop(lines)
    accesses = [(n, MEMORY + apart * n, stores) for n in range(2) for stores in (False, True)]
    took = cycles(tmp_path, tokens, block, *accesses, lock_latency=16, lock_value=16, lock_interval=23, lock_same=18)
    assert took == pytest.approx(2 * expected, abs=1)


@pytest.mark.parametrize(("apart", "between", "expected"), [(64, 1, 23), (64, 2, 17), (0, 6, 18), (0, 7, 25)])
def test_atomics_with_other_instructions_between(tmp_path: Path, apart: int, between: int, expected: int) -> None:
    nops = [insn("nop")] * (between - 1)
    tokens, block = loop([insn(lock=1, address="5", data="3", load=8, store=8), *nops])
    words = [MEMORY, MEMORY + apart]
    rounds(tokens, 20, 50, lambda n: tokens.run(block, (0, words[n % 2], False), (0, words[n % 2], True)))
    times = {"lock_interval": 23, "lock_same": 18, "lock_apart": 17, "lock_again": 25}
    found = answer(tokens, tmp_path, lock_latency=5, lock_value=5, lock_at_head=1, **times)
    assert each(found, 50) == pytest.approx(expected, abs=1)


def test_a_plain_store_to_its_bytes_delays_the_next_atomic(tmp_path: Path) -> None:
    def took(step: int) -> float:
        release = insn(latency=0, address="5", data="3", store=8, ports="c0x1")
        tokens, block = loop([insn(lock=1, address="5", data="3", writes="2", load=8, store=8), release])
        return cycles(tmp_path, tokens, block, *WORD, (1, MEMORY + step, True), lock_overwritten=40)

    assert took(0) == pytest.approx(40, abs=1)
    assert took(8) == pytest.approx(21, abs=1)


@pytest.mark.parametrize(("fetches", "expected"), [(0, 30), (1, 20)])
def test_the_line_of_an_atomic_is_fetched_while_it_waits(tmp_path: Path, fetches: int, expected: int) -> None:
    """64 KiB of lines, which the second level holds: 10 cycles further than the first."""
    tokens, block = loop([insn(lock=1, address="5", data="3", load=8, store=8)])
    words = [MEMORY + n * 64 for n in range(1024)]
    rounds(tokens, 1024, 1024, lambda n: tokens.run(block, (0, words[n % 1024], False), (0, words[n % 1024], True)))
    found = answer(tokens, tmp_path, lock_at_head=1, lock_interval=0, lock_apart=0, lock_fetches=fetches)
    assert each(found, 1024) == pytest.approx(expected, abs=1)
