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
