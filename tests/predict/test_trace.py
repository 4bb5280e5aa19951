# SPDX-License-Identifier: GPL-2.0-only
"""Traces are read token by token: recorded ones, and small ones written by hand."""

import pytest

from kassay.labs.predict.trace import TraceError, read_trace
from tests.predict.trace_stream import Access, Event, Step, instructions, steps
from tests.predict.traces import access, block, event, recorded, signed, trace

BEGIN = (event(Event.ROUND, 1), event(Event.INTERVAL, 0), event(Event.CONTEXT, 0))
TWO = ((0x1000, b"\x01\x02\x03"), (0x2000, b"\x02\x02"))
STRING = (*TWO, (0x3000, b"\x03"))


@pytest.mark.parametrize(("release", "counted"), [("6.16", 11581), ("6.17", 17461)])
def test_a_recorded_trace_has_the_instructions_that_were_counted(release: str, counted: int) -> None:
    data = recorded(release)
    read = read_trace(data)
    assert (read.target, read.intervals, read.cut) == ("x86_64", 4, False)
    assert read.rounds == read.complete_rounds == (3, 4, 6, 7, 8, 9)
    found = instructions(data)
    quiet = [number for number in read.rounds if sum(found[number, i] for i in range(3)) == counted]
    assert len(quiet) >= 5  # an interrupt may fall into one


def test_accesses_of_a_recorded_trace_go_by_the_code_and_have_frames() -> None:
    read = read_trace(recorded("6.16"))
    found = [step for step in steps(recorded("6.16")) if step.left is None]
    assert all(a.instruction < len(read.blocks[s.block].lengths) for s in found for a in s.accesses)
    accesses = [a for step in found for a in step.accesses]
    assert all(a.physical is not None and a.physical % 4096 == a.address % 4096 for a in accesses)
    assert any(a.store and a.address < 1 << 47 for a in accesses)  # the workload touches its pages


def test_blocks_and_accesses_are_guessed_from_the_time_before() -> None:
    data = trace(TWO, *BEGIN, event(Event.PAGE, signed(0x7), 0x42),
                 block(0), access(1, 0x7000), access(1, 0x7010, store=True), block(0),
                 block(-2), access(1, -0x6FF8), access(1, -0x7010, store=True), block(0), event(Event.END))  # fmt: skip
    assert list(steps(data)) == [
        Step(1, 0, 0, 0, 0, (Access(1, False, 0x7000, 0x42000), Access(2, True, 0x7010, 0x42010))),
        Step(1, 0, 0, 0, 1, ()),
        Step(1, 0, 0, 0, 0, (Access(1, False, 0x7008, 0x42008), Access(2, True, 0x7010, 0x42010))),
        Step(1, 0, 0, 0, 1, ()),
    ]
    assert instructions(data) == {(1, 0): 10}


def test_a_block_that_was_left_counts_as_far_as_it_was_executed() -> None:
    left = event(Event.LEFT, b"\x82\x00")  # after one of its three instructions
    unknown = event(Event.LEFT, b"\x80\x00")
    data = trace(TWO, *BEGIN, block(0), left, block(0), event(Event.INTERVAL, 1), block(-2), unknown, block(0),
                 event(Event.END))  # fmt: skip
    assert [(step.block, step.left) for step in steps(data)] == [(0, 1), (1, None), (0, -1), (1, None)]
    assert instructions(data) == {(1, 0): 3, (1, 1): 5}


def test_an_interrupt_tells_afterwards_whether_the_block_before_it_was_left() -> None:
    after_one, not_left = event(Event.LEFT, b"\x82\x00"), event(Event.LEFT, b"\xff\x7f")
    interrupt = (event(Event.CONTEXT, 1), block(0), event(Event.CONTEXT, 0))
    data = trace(TWO, *BEGIN, block(0), after_one, *interrupt, block(-2), not_left, *interrupt, event(Event.END))
    assert [(step.block, step.left) for step in steps(data)] == [(0, 1), (1, None), (0, None), (1, None)]
    assert instructions(data) == {(1, 0): 1 + 2 + 3 + 2}


def test_a_string_instruction_goes_on_by_its_strides_and_the_guess_follows() -> None:
    data = trace(STRING, *BEGIN, block(2), access(0, 0x5000), access(0, 0x3000, store=True),
                 event(Event.REPEAT, 3, signed(8), signed(-8)), block(-1), access(0, 0), event(Event.END))  # fmt: skip
    found = list(steps(data))
    # 0x5000 -> 0x5000 + 0x5000 + 0x3000 would be the plain guess of the store.
    assert [a.address for a in found[0].accesses] == [0x5000, 0xD000]
    assert (found[1].times, found[1].strides) == (3, (8, -8))
    assert [a.address for a in found[1].accesses] == [0x5008, 0xCFF8]
    load, store = 0x5000 + 3 * 8, 0xD000 - 3 * 8
    assert [a.address for a in found[2].accesses] == [store + (store - load)]
    assert instructions(data) == {(1, 0): 5}


def test_each_cpu_has_a_block_a_context_and_a_guess_of_its_own() -> None:
    data = trace(TWO, *BEGIN, block(0), event(Event.CPU, 1), event(Event.CONTEXT, 2), block(1), event(Event.SWITCH),
                 event(Event.CPU, 0), access(0, 0x10), block(0), event(Event.END))  # fmt: skip
    found = sorted(steps(data), key=lambda step: step.cpu)
    assert [(s.cpu, s.context, s.block) for s in found] == [(0, 0, 0), (0, 0, 1), (1, 2, 1)]
    assert [a.address for a in found[0].accesses] == [0x10]


def test_a_block_of_another_cpu_may_turn_out_to_be_left_when_the_round_is_over() -> None:
    data = trace(TWO, *BEGIN, block(0), event(Event.CPU, 1), event(Event.CONTEXT, 0), block(1), event(Event.END),
                 event(Event.CPU, 0), event(Event.LEFT, b"\x82\x00"))  # fmt: skip
    assert instructions(data) == {(1, 0): 1 + 2}


def test_a_round_that_the_budget_cut_is_not_counted() -> None:
    data = trace(TWO, *BEGIN, block(0), event(Event.CUT), complete="", cut=1)
    assert (read_trace(data).cut, read_trace(data).complete_rounds) == (True, ())
    assert instructions(data) == {}


@pytest.mark.parametrize("data", [b"", b"profile 1 counts x86_64 1 1\n", trace(TWO)[:-3], recorded("6.16")[:300]])
def test_what_is_no_trace_or_cut_short_is_refused(data: bytes) -> None:
    with pytest.raises(TraceError):
        read_trace(data)


@pytest.mark.parametrize("wrong", [block(7), b"\x03", event(Event.PAGE), block(0) + b"\x80", b"\x7a"])
def test_what_is_not_understood_in_the_stream_is_refused(wrong: bytes) -> None:
    with pytest.raises(TraceError):
        list(steps(trace(TWO, *BEGIN, block(0), wrong)))
