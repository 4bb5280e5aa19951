# SPDX-License-Identifier: GPL-2.0-only
"""Does the core model's front end give the known answer: decoders, windows, jumps, ports, the stack pointer?"""

from pathlib import Path

import pytest

from kassay.labs.predict.decode import FIRST_DECODER, MOVES_STACK, NEAR_BASE, PREFIXED, SPLIT, USES_STACK
from tests.predict.runs import answer, each, loop, rounds
from tests.predict.tokens import Tokens, insn, load

DECODED = {"width": 8, "opcache_size": 1024, "predecode": 5, "decoders": 4}
"""A CPU that decodes all of a loop which is larger than its micro-op cache."""
WIDE = {**DECODED, "decoders": 8}


def nops(count: int, directory: Path, *, length: int = 4, traits: int = 0, opcode: int = 0, **changed: int) -> float:
    """Cycles of a loop of so many no-operations, whose jump is one more."""
    tokens, block = loop([insn("nop", ports="-", length=length, traits=traits, opcode=opcode)] * count)
    rounds(tokens, 4, 10, lambda _: tokens.run(block))
    return each(answer(tokens, directory, **changed), 10)


@pytest.mark.parametrize(
    ("length", "changed", "expected"),
    [
        (4, DECODED, 512 / 4),  # four instructions of a window, four decoders
        (2, {**WIDE, "predecode": 8}, 1024 / 8),  # a window a cycle
        (2, WIDE, 1024 / 8 * 2),  # five of eight in the first cycle
        (8, WIDE, 256 / 2),  # two of a window, however many decoders
    ],
)
def test_decoding_takes_windows_and_decoders(
    tmp_path: Path, length: int, changed: dict[str, int], expected: float
) -> None:
    assert nops(2048 // length, tmp_path, length=length, **changed) == pytest.approx(expected, rel=0.03)


def test_an_instruction_across_two_windows_counts_in_both_if_its_opcode_is_in_the_first(tmp_path: Path) -> None:
    """16 instructions of three bytes in three windows: facile.py of uiCA has the formula."""
    assert nops(16 * 48, tmp_path, length=3, opcode=1, **WIDE) == pytest.approx(48 * 5, rel=0.03)
    assert nops(16 * 48, tmp_path, length=3, opcode=0, **WIDE) == pytest.approx(48 * 6, rel=0.03)


def test_prefixes_stall_and_some_instructions_need_the_first_decoder(tmp_path: Path) -> None:
    assert nops(512, tmp_path, traits=PREFIXED, prefix_stall=3, **DECODED) == pytest.approx(128 + 512 * 3, rel=0.03)
    assert nops(512, tmp_path, traits=FIRST_DECODER, **DECODED) == pytest.approx(512, rel=0.03)
    several = loop([insn("nop", uops=2, ports="-")] * 512)
    rounds(several[0], 4, 10, lambda _: several[0].run(several[1]))
    assert each(answer(several[0], tmp_path, **DECODED), 10) == pytest.approx(512, rel=0.03)


def test_a_split_instruction_is_dispatched_as_one_more_and_decoded_as_before(tmp_path: Path) -> None:
    assert nops(512, tmp_path, traits=SPLIT, width=4) == pytest.approx(2 * 512 / 4, rel=0.03)
    assert nops(512, tmp_path, traits=SPLIT, **{**DECODED, "width": 8}) == pytest.approx(512 / 4, rel=0.03)


def test_nothing_is_decoded_again_that_the_micro_op_cache_has(tmp_path: Path) -> None:
    held = {**DECODED, "opcache_size": 4096}
    assert nops(512, tmp_path, traits=PREFIXED, prefix_stall=3, **held) == pytest.approx(512 / 8, rel=0.05)


@pytest.mark.parametrize(("before", "excluded"), [(7, True), (6, True), (5, False), (8, False)])
def test_a_jump_that_ends_at_a_boundary_keeps_its_line_out_of_the_micro_op_cache(
    tmp_path: Path, before: int, excluded: bool
) -> None:
    tokens, block = loop([*[insn("nop", ports="-")] * before, insn("branch", ports="-")])
    rounds(tokens, 4, 50, lambda _: tokens.run(block))
    slow = {**DECODED, "predecode": 1}
    found = answer(tokens, tmp_path, jump_boundary=32, **slow)
    assert (found.statistics["excluded_jumps"] > 50) == excluded
    without = answer(tokens, tmp_path, **slow)
    assert without.statistics["excluded_jumps"] == 0
    assert (each(found, 50) > 2 * each(without, 50)) == excluded
    no_such_cache = answer(tokens, tmp_path, jump_boundary=32, opcache_size=0)
    assert no_such_cache.statistics["excluded_jumps"] == 0


def test_ports_that_are_chosen_early_delay_a_chain_and_share_evenly(tmp_path: Path) -> None:
    chain = [insn(data="1", writes="1"), insn(data="1", writes="2"), insn(writes="3")] * 20
    tokens, block = loop(chain)
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    assert each(answer(tokens, tmp_path), 100) == pytest.approx(20, rel=0.03)
    assert 21 < each(answer(tokens, tmp_path, early_ports=1), 100) < 32
    tokens, block = loop([insn(writes=str(n % 8), ports="3x1") for n in range(40)])
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    assert each(answer(tokens, tmp_path, early_ports=1), 100) == pytest.approx(20, rel=0.05)


@pytest.mark.parametrize(("sync", "cycles"), [(0, 1), (1, 2)])
def test_the_stack_pointer_is_brought_up_to_date_once_after_pushes(tmp_path: Path, sync: int, cycles: int) -> None:
    push = insn(ports="-", traits=MOVES_STACK)
    use, again = insn(data="4", writes="4", traits=USES_STACK), insn(data="4", writes="9", traits=USES_STACK)
    tokens, block = loop([push, push, use, again] * 20)
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    found = each(answer(tokens, tmp_path, width=8, stack_sync=sync), 100)
    assert found == pytest.approx(20 * cycles, rel=0.05)


@pytest.mark.parametrize(("traits", "between", "cycles"), [(NEAR_BASE, False, 3), (0, False, 4), (NEAR_BASE, True, 5)])
def test_a_loaded_base_is_faster(tmp_path: Path, traits: int, between: bool, cycles: int) -> None:
    chased = load(1, 1).split()
    chased[-2] = str(traits)
    tokens, block = loop([" ".join(chased), *[insn(data="1", writes="1")] * between])
    rounds(tokens, 50, 200, lambda _: tokens.run(block, (0, 0x8000, False)))
    assert each(answer(tokens, tmp_path, l1d_chase=3), 200) == pytest.approx(cycles, rel=0.03)


@pytest.mark.parametrize(("prefetch", "expected"), [(0, 16 + 4), (3, 4 + 1)])
def test_straight_code_beyond_the_first_level_is_fetched_ahead_all_along(
    tmp_path: Path, prefetch: int, expected: float
) -> None:
    """A line is 16 instructions, which take four cycles, and comes 16 cycles after it is asked for."""
    changed = {"l1i_size": 4096, "l1i_prefetch": prefetch, "l2_latency": 16, "l2_interval": 1}
    assert nops(16 * 200, tmp_path, **DECODED | changed) / 200 == pytest.approx(expected, rel=0.1)


def jumps_from_line_to_line(directory: Path, **changed: int) -> float:
    """Cycles of a line, of 200 lines in which a jump to the next one is all that is executed."""
    tokens = Tokens()
    blocks = [tokens.define([insn("jump")], start=0x10000 + 64 * n) for n in range(200)]
    rounds(tokens, 4, 20, lambda _: tokens.run_all(*blocks))
    same = {"l1i_size": 4096, "l2_latency": 16, "l2_interval": 0, "taken_branch": 1, "btb_entries": 65536}
    return each(answer(tokens, directory, **same | changed), 20) / 200


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"l1i_prefetch": 0}, 16),  # each line by itself
        ({"code_ahead": 4}, 16 / 4),  # four of the predicted way at a time
        ({"code_ahead": 32}, 1),  # as fast as lines are predicted
        ({"code_ahead": 32, "code_interval": 5}, 5),
    ],
)
def test_the_predicted_way_is_fetched_ahead(tmp_path: Path, changed: dict[str, int], expected: float) -> None:
    assert jumps_from_line_to_line(tmp_path, **changed) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(("kind", "expected"), [("serialize", 40 + 16 - 8), ("fence_load", 40)])
def test_code_is_not_asked_for_behind_what_has_to_end_first(tmp_path: Path, kind: str, expected: float) -> None:
    """A fence of loads stops dispatch, and not fetch. Fetch is eight cycles ahead of dispatch in any case."""
    tokens = Tokens()
    lines = [insn(kind, fixed=40), insn("jump")]
    blocks = [tokens.define(lines, start=0x10000 + 64 * n) for n in range(200)]
    rounds(tokens, 4, 20, lambda _: tokens.run_all(*blocks))
    changed = {"l1i_size": 4096, "l2_latency": 16, "l2_interval": 0, "fence_load": 40, "btb_entries": 65536}
    assert each(answer(tokens, tmp_path, code_ahead=8, **changed), 20) / 200 == pytest.approx(expected, abs=3)


@pytest.mark.parametrize(("jumps", "near", "expected"), [(64, 128, 1), (256, 128, 2), (256, 0, 1)])
def test_a_jump_that_was_not_taken_lately_takes_longer(tmp_path: Path, jumps: int, near: int, expected: int) -> None:
    """Jumps 32 bytes apart, each to the next one."""
    tokens = Tokens()
    blocks = [tokens.define([insn("jump")], start=0x10000 + 32 * n) for n in range(jumps)]
    rounds(tokens, 4, 20, lambda _: tokens.run_all(*blocks))
    found = answer(tokens, tmp_path, near_branches=near, taken_branch=1, taken_far=2, btb_entries=65536)
    assert each(found, 20) == pytest.approx(jumps * expected, rel=0.05)


@pytest.mark.parametrize(("length", "held"), [(4, True), (2, True), (1, False)])
def test_a_way_of_the_micro_op_cache_has_so_many_micro_ops_of_its_32_bytes(
    tmp_path: Path, length: int, held: bool
) -> None:
    """Eight instructions in 32 bytes take two ways, sixteen three; thirty-two are too many."""
    same = {"opcache_uops": 6, "opcache_size": 4096, "opcache_ways": 8, "predecode": 1}
    count = 8 * 32 // length
    cycles = nops(count, tmp_path, length=length, **{**DECODED, **same})
    assert (cycles < count / 4) == held
    assert held or cycles > 0.9 * count


def test_ways_of_the_micro_op_cache_run_out_by_micro_ops(tmp_path: Path) -> None:
    """128 ways: 2 KiB of code in instructions of four bytes need them all, of two bytes half as many more."""
    for length, held in ((4, True), (2, False)):
        changed = {**DECODED, "opcache_uops": 6, "opcache_size": 4096, "opcache_ways": 8, "predecode": 1}
        count = 1984 // length
        assert (nops(count, tmp_path, length=length, **changed) < count / 4) == held
