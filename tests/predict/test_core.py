# SPDX-License-Identifier: GPL-2.0-only
"""Does the core model give the known answer where the time is known: chains, widths, branches, atomics, strings?"""

import random
from pathlib import Path

import pytest

from tests.predict.runs import answer, causes, each, loop, main_cause, rounds
from tests.predict.tokens import CONTEXT, LEFT, Tokens, insn, load, store

ADD = insn(data="1", writes="1")
LOCK = insn(latency=0, lock=1, address="2", data="1", writes="1", load=8, store=8)


def test_a_chain_takes_a_cycle_for_each_addition(tmp_path: Path) -> None:
    tokens, block = loop([ADD] * 50)
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    found = answer(tokens, tmp_path)
    assert each(found, 100) == pytest.approx(50, rel=0.02)
    assert main_cause(found) == "dependency"


@pytest.mark.parametrize("width", [2, 4])
def test_independent_additions_take_the_width(tmp_path: Path, width: int) -> None:
    tokens, block = loop([insn(writes=str(n % 8)) for n in range(47)])
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    found = answer(tokens, tmp_path, width=width)
    assert each(found, 100) == pytest.approx(48 / width, rel=0.02)
    assert main_cause(found) == "width"


def test_two_ports_take_half_of_the_additions_a_cycle(tmp_path: Path) -> None:
    tokens, block = loop([insn(writes=str(n % 8), ports="3x1") for n in range(40)])
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    found = answer(tokens, tmp_path)
    assert each(found, 100) == pytest.approx(20, rel=0.03)
    assert main_cause(found) == "ports"


@pytest.mark.parametrize(("data", "expected"), [("1", 9), ("2", 7)])
def test_a_divider_is_busy_for_a_part_of_its_latency(tmp_path: Path, data: str, expected: int) -> None:
    tokens, block = loop([insn(data=data, writes="1", latency=9, ports="2x7")] * 20)
    rounds(tokens, 5, 40, lambda _: tokens.run(block))
    assert each(answer(tokens, tmp_path), 40) == pytest.approx(20 * expected, rel=0.03)


def test_idioms_and_moves_take_a_slot_and_no_port(tmp_path: Path) -> None:
    lines = [insn("zero", writes="1", ports="-"), insn("move", data="1", writes="2", ports="-"), insn("nop", ports="-")]
    tokens, block = loop(lines * 13)
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    assert each(answer(tokens, tmp_path), 100) == pytest.approx(10, rel=0.02)


def test_work_beside_a_chain_is_hidden_by_it(tmp_path: Path) -> None:
    alone, block = loop([ADD] * 40)
    rounds(alone, 20, 100, lambda _: alone.run(block))
    more, both = loop([ADD, insn(writes="5")] * 40)
    rounds(more, 20, 100, lambda _: more.run(both))
    assert each(answer(more, tmp_path), 100) == pytest.approx(each(answer(alone, tmp_path), 100), rel=0.02)


def test_a_division_longer_than_the_window_is_not_hidden(tmp_path: Path) -> None:
    """Independent work goes on until the reorder buffer is full of it."""
    tokens, block = loop([insn(data="1", writes="1", latency=200), *[insn(writes="2")] * 398])
    rounds(tokens, 5, 40, lambda _: tokens.run(block))
    large = each(answer(tokens, tmp_path, rob=1024, scheduler=512), 40)
    small = each(answer(tokens, tmp_path, rob=64), 40)
    assert large == pytest.approx(200, rel=0.05)
    assert small == pytest.approx(200 + (400 - 64) / 4, rel=0.05)


@pytest.mark.parametrize(
    ("waiting", "accesses", "full"),
    [
        (insn(data="1", writes="2"), False, 24),
        (load(1, 2), True, 8),
        (insn(latency=0, address="1", data="3", store=8, ports="30x1/8x1"), True, 8),
        (insn(address="3", data="1", writes="2", load=8, ports="30x1/fx1"), True, 24),
    ],
    ids=["additions", "loads", "stores", "additions of loaded values"],
)
def test_what_waits_for_an_address_and_all_else_have_schedulers_of_their_own(
    tmp_path: Path, waiting: str, accesses: bool, full: int
) -> None:
    """Between two divisions; the second begins with the first until a scheduler is full of what waits for that."""
    assert _between_divisions(waiting, full - 4, accesses, tmp_path) == pytest.approx(200, rel=0.1)
    assert _between_divisions(waiting, full + 4, accesses, tmp_path) == pytest.approx(400, rel=0.1)


def _between_divisions(waiting: str, count: int, accesses: bool, directory: Path) -> float:
    first, second = (insn(data=name, writes=name, latency=200, ports="fx1") for name in "15")
    tokens, block = loop([first, *[waiting] * count, second, *[insn(data="5", writes="6")] * 30])
    own = [(1 + n, 0x8000 + 8 * n, "30x1/8x1" in waiting) for n in range(count if accesses else 0)]
    rounds(tokens, 5, 40, lambda _: tokens.run(block, *own))
    return each(answer(tokens, directory, scheduler=24, memory_scheduler=8, rob=1024, store_queue=64), 40)


def test_both_schedulers_may_be_full_at_once(tmp_path: Path) -> None:
    """The scheduler of what waits for the quicker division is empty again when the loads leave theirs."""
    slow, quick = (
        insn(data=name, writes=name, latency=latency, ports="fx1") for name, latency in (("1", 200), ("2", 150))
    )
    both = insn(address="3", data="3", writes="4", load=8, ports="30x1/fx1")
    tokens, block = loop([slow, quick, *[insn(data="2", writes="6")] * 24, *[load(1, 5)] * 8, both])
    loads = [(26 + n, 0x8000 + 8 * n, False) for n in range(9)]
    rounds(tokens, 60, 400, lambda _: tokens.run(block, *loads))
    found = answer(tokens, tmp_path, scheduler=24, memory_scheduler=8, rob=1024)
    assert each(found, 400) == pytest.approx(200, rel=0.05)


@pytest.mark.parametrize(("chance", "expected"), [(True, 0.5), (False, 0.0)])
def test_a_branch_by_chance_is_mispredicted_half_of_the_time_and_an_even_one_never(
    tmp_path: Path, chance: bool, expected: float
) -> None:
    tokens = Tokens()
    head = tokens.define([insn("branch", length=2)])
    skipped = tokens.define([insn()] * 8)
    behind = tokens.define([*[insn()] * 15, insn("jump", length=2)])
    draw = random.Random(1)

    def once(n: int) -> None:
        tokens.run(head)
        if draw.random() < 0.5 if chance else n % 3 == 0:
            tokens.run(skipped)
        tokens.run(behind)

    rounds(tokens, 2000, 2000, once)
    found = answer(tokens, tmp_path)
    assert causes(found)["misprediction"] / 100 / 2000 == pytest.approx(expected * 15, abs=2)
    assert (main_cause(found) == "misprediction") == chance


@pytest.mark.parametrize(("depth", "missed"), [(10, 0), (24, 8)])
def test_returns_are_known_until_the_stack_is_too_deep(tmp_path: Path, depth: int, missed: int) -> None:
    tokens = Tokens()
    calls = [tokens.define([insn(), insn("call")], start=0x1000 * (n + 1)) for n in range(depth)]
    leaf = tokens.define([insn(), insn("return")], start=0x1000 * (depth + 1))
    ends = [tokens.define([insn(), insn("return")], start=call.start + 8) for call in reversed(calls[1:])]
    last = tokens.define([insn(), insn("jump")], start=calls[0].start + 8)
    rounds(tokens, 5, 50, lambda _: tokens.run_all(*calls, leaf, *ends, last))
    found, same = answer(tokens, tmp_path), answer(tokens, tmp_path, mispredict_return=25)
    assert found.statistics["return_mispredictions"] == 55 * missed
    assert each(same, 50) == each(found, 50)


def test_a_return_to_another_place_than_behind_its_call_has_a_time_of_its_own(tmp_path: Path) -> None:
    tokens = Tokens()
    blocks = [
        tokens.define([insn(), insn(kind)], start=0x1000 * (n + 1)) for n, kind in enumerate(("call", "return", "jump"))
    ]
    rounds(tokens, 5, 50, lambda _: tokens.run_all(*blocks))
    found, slower = answer(tokens, tmp_path), answer(tokens, tmp_path, mispredict_return=25)
    assert found.statistics["return_mispredictions"] == found.statistics["mispredictions"] == 55
    assert each(slower, 50) - each(found, 50) == pytest.approx(10, abs=0.1)


@pytest.mark.parametrize(("path", "missed"), [(1, 0), (0, 1)])
def test_targets_in_turn_are_known_by_the_path_to_them_alone(tmp_path: Path, path: int, missed: int) -> None:
    tokens = Tokens()
    call = tokens.define([insn(), insn("jump_indirect")])
    targets = [tokens.define([insn(), insn("jump")], start=0x500000 + 64 * n) for n in range(4)]
    rounds(tokens, 100, 100, lambda n: tokens.run_all(call, targets[n % 4]))
    found = answer(tokens, tmp_path, indirect_path=path).statistics["indirect_mispredictions"]
    assert found == pytest.approx(200 * missed, abs=20)


def test_a_return_beyond_the_stack_goes_where_it_went_last(tmp_path: Path) -> None:
    """A recursion has the same call and the same return at each depth."""
    tokens = Tokens()
    call = tokens.define([insn(), insn("call")], start=0x1000)
    back = tokens.define([insn(), insn("return")], start=0x1008)
    out = tokens.define([insn(), insn("return")], start=0x2000)
    rounds(tokens, 5, 50, lambda _: tokens.run_all(*[call] * 40, out, *[back] * 39))
    lost = [answer(tokens, tmp_path, return_fallback=n).statistics["return_mispredictions"] for n in (0, 1)]
    assert lost[0] >= 55 * 23
    assert lost[1] <= 55 * 2


def test_atomics_are_a_chain(tmp_path: Path) -> None:
    tokens, block = loop([LOCK, *[insn(writes="5")] * 30])
    rounds(tokens, 20, 100, lambda _: tokens.run(block, (0, 0x9000, True)))
    found = answer(tokens, tmp_path)
    assert each(found, 100) == pytest.approx(20, rel=0.05)
    assert main_cause(found) == "atomics"
    assert found.statistics["atomics"] == 120
    hidden = sum(row.instructions for row in found.rows if row.round == 2 and row.cause == "atomics")
    assert hidden > 15 * 100, "instructions in the shadow of an atomic operation are counted there"


def test_a_system_call_costs_what_the_cpu_file_says(tmp_path: Path) -> None:
    tokens = Tokens()
    user = tokens.define([insn(), insn("syscall", fixed=100)], function=1)
    kernel = tokens.define([insn(), insn("sysreturn", fixed="80.50")], function=2)
    rounds(tokens, 5, 50, lambda _: tokens.run_all(user, kernel))
    found = answer(tokens, tmp_path)
    assert each(found, 50) == pytest.approx(181, abs=4)
    rings = {row.function: row.cycles100 / 5000 for row in found.rows if row.round == 2 and row.cause == "rings"}
    assert rings[1] == pytest.approx(100, abs=2)
    assert rings[2] == pytest.approx(81, abs=2)


def test_a_fault_leaves_the_block_and_costs_its_entry(tmp_path: Path) -> None:
    tokens = Tokens()
    user = tokens.define([insn(), load(1, 2), insn("jump")])
    kernel = tokens.define([insn(), insn("sysreturn", fixed=50)], start=0xFFFFFFFF81000000)

    def once(n: int) -> None:
        tokens.run(user)
        tokens.event(LEFT, 2)
        tokens.run(kernel)
        tokens.run(user, (1, 0x7000, False))

    rounds(tokens, 5, 20, once)
    found = answer(tokens, tmp_path)
    assert [interval.instructions for interval in found.intervals] == [30, 120]
    assert [interval.accesses for interval in found.intervals] == [5, 20], "that of the fault did not happen"
    assert found.statistics["faults"] == 25
    assert causes(found)["rings"] / 2000 == pytest.approx(350, abs=6)
    assert found.statistics["walks"] == 25, "the access that faulted misses the TLB"


@pytest.mark.parametrize(("size", "line"), [(8192, 2), (262144, 4), (2097152, 8)])
def test_a_string_takes_its_start_and_a_time_for_each_line_where_it_is(tmp_path: Path, size: int, line: int) -> None:
    tokens = Tokens()
    block = tokens.define([insn("repeat", address="1", data="2", store=8, ports="-")])
    rest = tokens.define([insn("jump")])

    def once(n: int) -> None:
        tokens.run(block, (0, 0x100000, True))
        tokens.repeat(size // 8 - 1, 8)
        tokens.run(rest)

    rounds(tokens, 2, 4, once)
    found = answer(tokens, tmp_path, dtlb_entries=4096, dtlb_ways=4096)
    assert each(found, 4) == pytest.approx(30 + size / 64 * line, rel=0.03)
    assert found.intervals[1].instructions == 4 * (size // 8 + 1)
    assert [interval.accesses for interval in found.intervals] == [2 * size // 8, 4 * size // 8]


@pytest.mark.parametrize(("size", "start"), [(64, 5), (128, 5), (256, 30)])
def test_a_short_string_begins_sooner_where_the_cpu_is_fast_at_it(tmp_path: Path, size: int, start: int) -> None:
    tokens = Tokens()
    block = tokens.define([insn("repeat", address="1", data="2", store=8, ports="-")])

    def once(n: int) -> None:
        tokens.run(block, (0, 0x100000, True))
        for _ in range(2):
            tokens.repeat(size // 16 - 1, 8)
        tokens.repeat(1, 8)
        tokens.run(rest)

    rest = tokens.define([insn("jump")])
    rounds(tokens, 10, 20, once)
    found = answer(tokens, tmp_path, rep_short_bytes=128)
    assert each(found, 20) == pytest.approx(start + size / 64 * 2, abs=2)


def test_what_is_not_the_measured_tasks_is_apart(tmp_path: Path) -> None:
    tokens, block = loop([ADD] * 10)
    tokens.turn(1)
    tokens.event(CONTEXT, 0)
    tokens.run(block)
    tokens.event(CONTEXT, 1)
    tokens.run(block)
    tokens.event(CONTEXT, 0)
    tokens.run(block)
    found = answer(tokens, tmp_path)
    assert found.intervals[0].instructions == 22
    assert found.others[1, 0, 1][0] == 11
    assert found.others[1, 0, 1][1] > 40000, "the interrupt's entry is the interrupt's"


def test_the_rows_of_an_interval_add_up_to_it(tmp_path: Path) -> None:
    tokens = Tokens()
    lines = [load(1, 2), insn(data="2", writes="3"), store(4, 3), LOCK, insn("branch")]
    blocks = [tokens.define(lines, function=n % 3) for n in range(9)]
    draw = random.Random(2)

    def once(n: int) -> None:
        at = [draw.randrange(1 << 24) * 8 for _ in range(3)]
        tokens.run(draw.choice(blocks), (0, at[0], False), (2, at[1], True), (3, at[2], False), (3, at[2], True))

    rounds(tokens, 500, 500, once)
    found = answer(tokens, tmp_path)
    for interval in found.intervals:
        rows = [row for row in found.rows if (row.round, row.interval) == (interval.round, interval.interval)]
        assert sum(row.cycles100 for row in rows) == interval.cycles100 > 0
        assert sum(row.instructions for row in rows) == interval.instructions == 2500


def test_an_instruction_without_data_is_counted_and_its_time_is_a_cause(tmp_path: Path) -> None:
    tokens, block = loop([insn("unknown", latency=30, data="1", writes="1")])
    rounds(tokens, 50, 20, lambda _: tokens.run(block))
    found = answer(tokens, tmp_path)
    assert found.statistics["unknown_instructions"] == 70
    assert main_cause(found) == "unknown"


def test_the_microcode_sequencer_dispatches_alone(tmp_path: Path) -> None:
    """Six micro-ops take two cycles of four, the seven others two more, and the switch there and back two."""
    tokens, block = loop([insn(uops=6, ports="-"), *[insn("nop")] * 6])
    rounds(tokens, 50, 100, lambda _: tokens.run(block))
    assert each(answer(tokens, tmp_path), 100) == pytest.approx(3.25, abs=0.1)
    assert each(answer(tokens, tmp_path, microcode_switch=2), 100) == pytest.approx(6, abs=0.1)


def test_four_micro_ops_are_decoded(tmp_path: Path) -> None:
    tokens, block = loop([insn(uops=4, ports="-"), *[insn("nop")] * 7])
    rounds(tokens, 50, 100, lambda _: tokens.run(block))
    assert each(answer(tokens, tmp_path, microcode_switch=2), 100) == pytest.approx(3, abs=0.1)
