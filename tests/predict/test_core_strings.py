# SPDX-License-Identifier: GPL-2.0-only
"""Starts of repeated string instructions: short ones, those of stores, and those of elements larger than a byte."""

from pathlib import Path

import pytest

from tests.predict.runs import answer, each, rounds
from tests.predict.tokens import Tokens, insn


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
