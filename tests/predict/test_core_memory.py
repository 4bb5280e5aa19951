# SPDX-License-Identifier: GPL-2.0-only
"""Does the core model's memory give the known answer: latencies, bandwidth, prefetch, forwarding, TLB reach?"""

import random
from pathlib import Path

import pytest

from tests.predict.runs import answer, causes, each, loop, main_cause, rounds
from tests.predict.tokens import Tokens, insn, load, store

pytestmark = pytest.mark.slow  # seconds for the whole file

LARGE_TLB = {"dtlb_entries": 4096, "dtlb_ways": 4096}
KIB, MIB = 1024, 1024 * 1024


def chase(size: int, step: int = 64, seed: int = 3) -> Tokens:
    """Two loads in a chain through all lines of `size` bytes in an order by chance, twice."""
    tokens, block = loop([load(1, 1)])
    order = list(range(0, size, step))
    random.Random(seed).shuffle(order)
    rounds(tokens, len(order), len(order), lambda n: tokens.run(block, (0, 0x10000000 + order[n % len(order)], False)))
    return tokens


@pytest.mark.parametrize(
    ("size", "latency", "cause"),
    [(16 * KIB, 4, "l1"), (256 * KIB, 14, "l2"), (4 * MIB, 50, "l3"), (32 * MIB, 300, "memory")],
)
def test_a_chain_of_loads_takes_the_latency_of_its_level(tmp_path: Path, size: int, latency: int, cause: str) -> None:
    step = 64 if size < MIB else 192 if size < 8 * MIB else 1024 - 64
    count = len(range(0, size, step))
    found = answer(chase(size, step), tmp_path, l3_size=8 * MIB if size < 8 * MIB else MIB, **LARGE_TLB)
    walks = causes(found)["tlb"] / 100 / count
    assert each(found, count) - walks == pytest.approx(latency, rel=0.05)
    assert main_cause(found) == cause


def test_independent_misses_overlap_by_the_fill_buffers(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2)])
    order = list(range(0, 32 * MIB, 4096 + 64))
    random.Random(4).shuffle(order)
    rounds(tokens, 1000, 4000, lambda n: tokens.run(block, (0, order[n], False)))
    for buffers in (4, 10):
        found = answer(tokens, tmp_path, fill_buffers=buffers, memory_interval=1, walk_from_l2=1, page_walkers=32,
                       **LARGE_TLB)  # fmt: skip
        assert each(found, 4000) == pytest.approx(300 / buffers, rel=0.12)


def test_a_stream_takes_the_bandwidth_when_it_is_fetched_ahead(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2), insn(data="2", writes="1", latency=1)])
    rounds(tokens, 1000, 30000, lambda n: tokens.run(block, (0, 0x20000000 + n * 64, False)))
    alone = answer(tokens, tmp_path, **LARGE_TLB)
    streams = answer(tokens, tmp_path, prefetch_streams=16, **LARGE_TLB)
    strides = answer(tokens, tmp_path, prefetch_streams=16, stride_distance=8, **LARGE_TLB)
    assert each(alone, 30000) > 300
    assert 10 <= each(streams, 30000) < 45
    assert 10 <= each(strides, 30000) < each(streams, 30000)


def test_a_value_from_an_earlier_store_takes_the_forwarding(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2), store(1, 2)])
    rounds(tokens, 100, 300, lambda _: tokens.run(block, (0, 0x8008, False), (1, 0x8008, True)))
    found = answer(tokens, tmp_path)
    assert each(found, 300) == pytest.approx(5, abs=1.1)
    assert main_cause(found) == "stores"
    assert found.statistics["forwards"] >= 390


def test_a_store_of_a_part_of_the_value_is_waited_for(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2), insn(latency=0, address="1", data="2", store=4, ports="c0x1")])
    rounds(tokens, 100, 300, lambda _: tokens.run(block, (0, 0x8008, False), (1, 0x8008, True)))
    found = answer(tokens, tmp_path)
    assert each(found, 300) == pytest.approx(12, abs=1)
    assert found.statistics["forward_failures"] >= 390


@pytest.mark.parametrize(("size", "cycles", "failed"), [(4, 5, False), (8, 12, True)])
def test_a_field_is_forwarded_although_the_one_beside_it_was_written_later(
    tmp_path: Path, size: int, cycles: int, failed: bool
) -> None:
    field = {"latency": 0, "address": "1", "store": 4, "ports": "c0x1"}
    reader = insn(latency=0, address="1", writes="2", load=size, ports="30x1")
    tokens, block = loop([reader, insn(data="2", **field), insn(data="3", **field)])  # type: ignore[arg-type]
    rounds(tokens, 100, 300, lambda _: tokens.run(block, (0, 0x8008, False), (1, 0x8008, True), (2, 0x800C, True)))
    found = answer(tokens, tmp_path)
    assert each(found, 300) == pytest.approx(cycles, abs=1.1)
    assert (found.statistics["forward_failures"] >= 390) == failed


@pytest.mark.parametrize(("second", "failed"), [(0x8010, True), (0x9000, False)])
def test_a_value_of_two_stores_is_waited_for(tmp_path: Path, second: int, failed: bool) -> None:
    """A load of 16 bytes, which a store of 16 bytes or two of 8 have made."""
    size = 8 if failed else 16
    field = {"latency": 0, "address": "1", "data": "2", "store": size, "ports": "c0x1"}
    reader = insn(latency=0, address="1", writes="2", load=16, ports="30x1")
    tokens, block = loop([reader, insn(**field), insn(**field)])  # type: ignore[arg-type]
    rounds(tokens, 100, 300, lambda _: tokens.run(block, (0, 0x8008, False), (1, 0x8008, True), (2, second, True)))
    found = answer(tokens, tmp_path)
    assert each(found, 300) == pytest.approx(12 if failed else 5, abs=2.1)
    assert (found.statistics["forward_failures"] >= 390) == failed


@pytest.mark.parametrize(("apart", "expected"), [(64, 40), (0, 20)])
def test_stores_take_their_interval_however_fast_they_are_made(tmp_path: Path, apart: int, expected: int) -> None:
    """Stores to one line have another interval than stores to several."""
    tokens, block = loop([store(1, 2)] * 20)
    accesses = [(n, 0x8000 + apart * n, True) for n in range(20)]
    rounds(tokens, 20, 100, lambda _: tokens.run(block, *accesses))
    assert each(answer(tokens, tmp_path, store_interval=2), 100) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(("pages", "latency"), [(32, 4), (512, 4 + 7), (4096, 4 + 7 + 5 + 4)])
def test_pages_within_the_reach_of_a_tlb_cost_its_latency_and_those_beyond_a_walk(
    tmp_path: Path, pages: int, latency: int
) -> None:
    tokens, block = loop([load(1, 1)])
    order = list(range(pages))
    random.Random(5).shuffle(order)
    # One line of each page, in all sets of the cache.
    at = [0x40000000 + 4096 * n + 64 * (n // 16 % 64) for n in order]
    rounds(tokens, pages, pages, lambda n: tokens.run(block, (0, at[n % pages], False)))
    found = answer(tokens, tmp_path, l1d_size=1048576, l1d_ways=16, pwc_pde=4096)
    assert each(found, pages) == pytest.approx(latency, rel=0.1)
    assert main_cause(found) == ("l1" if pages == 32 else "tlb")


def test_after_a_flush_each_page_is_walked_again(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2)] * 16)
    flush = tokens.define([insn("flush_all", fixed=200, ports="-")])
    pages = [(n, 0x50000000 + n * 4160, False) for n in range(16)]

    def once(n: int) -> None:
        tokens.run(block, *pages)
        tokens.run(flush)

    rounds(tokens, 3, 10, once)
    found = answer(tokens, tmp_path)
    assert found.statistics["flushes_all"] == 13
    assert found.statistics["walks"] == 13 * 16
    assert main_cause(found) == "tlb"


def test_a_page_that_is_mapped_elsewhere_lies_in_other_lines(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 1)])

    def once(n: int) -> None:
        tokens.run(block)
        tokens.map(0x60000, 0x100000 + n)
        tokens.access(block, 0, 0x60000000)

    rounds(tokens, 5, 20, once)
    found = answer(tokens, tmp_path)
    assert found.statistics["l3_misses"] >= 25
    assert found.statistics["walks"] == 25


def test_pages_that_lie_side_by_side_do_not_spread_evenly_over_the_second_level(tmp_path: Path) -> None:
    """Frames of a machine that has run for a while: as many lines as the level holds do not all stay in it."""
    size = 256 * KIB
    found = answer(chase(size), tmp_path, l2_size=size, l2_ways=8, l1d_size=4 * KIB, l1d_ways=1, **LARGE_TLB)
    small = answer(chase(size // 4), tmp_path, l2_size=size, l2_ways=8, l1d_size=4 * KIB, l1d_ways=1, **LARGE_TLB)
    assert causes(small).get("l3", 0) < 0.05 * causes(small)["l2"]
    assert causes(found)["l3"] > 0.2 * causes(found)["l2"]


def test_dirty_lines_that_leave_take_their_own_time(tmp_path: Path) -> None:
    """A word of each line of 2 MiB in order is written, with caches of 640 KiB: each line is read and written back."""
    tokens, block = loop([store(1, 2)])
    rounds(tokens, 32768, 32768, lambda n: tokens.run(block, (0, 0x20000000 + n % 32768 * 64, True)))
    caches = {"l2_size": 128 * KIB, "l3_size": 512 * KIB}
    for write, expected in ((10, 20), (2, 12)):
        found = answer(tokens, tmp_path, prefetch_streams=16, memory_write=write, **caches, **LARGE_TLB)
        assert each(found, 32768) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(("stores", "write", "expected"), [(False, 3, 2), (True, 0, 2.2), (True, 3, 5)])
def test_a_dirty_line_that_leaves_the_first_level_takes_time_of_the_second(
    tmp_path: Path, stores: bool, write: int, expected: float
) -> None:
    """A word of each line of 64 KiB, which the first level does not hold, is written or read."""
    tokens, block = loop([store(1, 2) if stores else load(1, 2)])
    rounds(tokens, 1024, 4096, lambda n: tokens.run(block, (0, 0x20000000 + n % 1024 * 64, stores)))
    found = answer(tokens, tmp_path, l2_write=write, **LARGE_TLB)
    assert each(found, 4096) == pytest.approx(expected, rel=0.1)
