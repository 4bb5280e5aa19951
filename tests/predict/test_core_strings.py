# SPDX-License-Identifier: GPL-2.0-only
"""Starts of repeated string instructions: short ones, those of stores, and those of elements larger than a byte."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.predict import core
from tests.predict.cpu import params
from tests.predict.runs import answer, each, rounds
from tests.predict.tokens import END, Tokens, insn


@pytest.mark.parametrize(
    ("element", "stores_only", "start"),
    [(1, True, 30), (1, False, 5), (8, True, 60), (8, False, 60)],
    ids=["stosb", "movsb", "stosq", "movsq"],
)
def test_only_copies_of_bytes_have_the_short_start(tmp_path: Path, element: int, stores_only: bool, start: int) -> None:
    tokens = Tokens()
    read = 0 if stores_only else element
    block = tokens.define([insn("repeat", address="1", data="2", load=read, store=element, ports="-")])
    rest = tokens.define([insn("jump")])
    accesses = [] if stores_only else [(0, 0x200000, False)]

    def once(n: int) -> None:
        tokens.run(block, *accesses, (0, 0x100000, True))
        tokens.run(rest)

    rounds(tokens, 5, 10, once)
    found = answer(tokens, tmp_path, rep_short_bytes=256, rep_short_stores=0, rep_word_start=60, rep_copy_l1=2)
    assert each(found, 10) == pytest.approx(start + 2, abs=2)


@pytest.mark.parametrize(
    ("source", "target", "line"), [(8, 8, 2), (64, 64, 20), (64, 8, 20 - 9 + 3), (8, 64, 2 + 9 - 3), (64, 0, 9)]
)
def test_a_line_of_a_copy_takes_the_time_of_where_it_is_read_and_where_it_is_stored(
    tmp_path: Path, source: int, target: int, line: int
) -> None:
    """Copies through regions of so many KiB, of 64 bytes each; 0: stores alone, through the source's region."""
    tokens = Tokens()
    read = 64 if target else 0
    block = tokens.define([insn("repeat", address="1", data="2", load=read, store=64, ports="-")])
    rest = tokens.define([insn("jump")])

    def once(n: int) -> None:
        if target:
            tokens.run(
                block, (0, 0x200000 + n * 64 % (source << 10), False), (0, 0x400000 + n * 64 % (target << 10), True)
            )
        else:
            tokens.run(block, (0, 0x400000 + n * 64 % (source << 10), True))
        tokens.run(rest)

    rounds(tokens, 1200, 1200, once)
    costs = {"rep_copy_l1": 2, "rep_copy_l2": 20, "rep_store_l1": 3, "rep_store_l2": 9}
    start = {"rep_copy_start": 10, "rep_store_start": 10}
    found = answer(tokens, tmp_path, dtlb_entries=4096, dtlb_ways=4096, **costs, **start)
    assert each(found, 1200) - 10 == pytest.approx(line, abs=1.1)


@pytest.mark.parametrize("offset", [0, 32])
def test_a_line_that_is_read_before_another_one_is_stored_to_is_paid_for(tmp_path: Path, offset: int) -> None:
    """Strings of eight lines from a region of 64 KiB to one line after the other of 4 KiB."""
    tokens = Tokens()
    block = tokens.define([insn("repeat", address="1", data="2", load=8, store=8, ports="-")])
    rest = tokens.define([insn("jump")])

    def once(n: int) -> None:
        for at in range(n * 512, n * 512 + 512, 8):
            tokens.run(block, (0, 0x200000 + offset + at % 65536, False), (0, 0x400000 + at % 4096, True))
        tokens.run(rest)

    rounds(tokens, 200, 200, once)
    costs = {"rep_copy_l1": 2, "rep_copy_l2": 20, "rep_store_l1": 3, "rep_store_l2": 9, "rep_copy_start": 10}
    found = answer(tokens, tmp_path, dtlb_entries=4096, dtlb_ways=4096, **costs)
    assert each(found, 200) - 10 == pytest.approx(8 * 14, rel=0.1)


def test_a_trace_that_claims_an_endless_string_is_refused_and_a_long_one_is_not(tmp_path: Path) -> None:
    """128 MiB between two interrupts are more than a guest reaches; a damaged trace can claim any number."""
    found = []
    for times in (1 << 24, (1 << 24) + 1):
        tokens = Tokens()
        block = tokens.define([insn("repeat", address="1", data="2", store=8, ports="-")])
        tokens.turn(0)
        tokens.turn(1)
        tokens.run(block, (0, 0x100000, True))
        tokens.repeat(times, 8)
        tokens.event(END)
        trace = tokens.write(tmp_path / "trace")
        try:
            found.append(core.replay(params(), tokens.program(), trace).statistics["string_bytes"] >> 20)
        except BadInput as error:
            found.append("a repetition that touches more than 128 MiB" in str(error))
    assert found == [128, True]
