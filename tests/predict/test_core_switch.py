# SPDX-License-Identifier: GPL-2.0-only
"""A task switch is in the middle of the block that does it."""

from pathlib import Path

from kassay.labs.predict.core import replay
from tests.predict.cpu import params
from tests.predict.tokens import SWITCH, Tokens, insn, load, store


def test_a_block_goes_on_after_the_switch_in_it(tmp_path: Path) -> None:
    tokens = Tokens()
    block = tokens.define([store(1, 2), load(1, 3), insn("jump")])
    tokens.turn(1)
    tokens.run(block, (0, 0x1000, True))
    tokens.event(SWITCH)
    tokens.stream += bytes([9, 0x80, 0x80, 1])  # a load of instruction 1, at 0x2000
    tokens.run(tokens.define([insn()]))
    replayed = replay(params(), tokens.program(), tokens.write(tmp_path / "trace"))
    assert replayed.intervals[0].instructions == 4
    assert replayed.statistics["switches"] == 1
