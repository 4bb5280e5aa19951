# SPDX-License-Identifier: GPL-2.0-only
"""A block that was left in its middle enters an exception; where the emulator alone ended it, that costs nothing."""

from pathlib import Path

import pytest

from kassay.labs.predict.core import replay
from tests.predict.cpu import params
from tests.predict.tokens import LEFT, Tokens, insn

START = 0x400000


@pytest.mark.parametrize(("goes_on_at", "faults"), [(START + 4, 0), (START + 8, 1), (0x800000, 1)])
def test_only_a_block_that_does_not_go_on_there_enters_an_exception(
    tmp_path: Path, goes_on_at: int, faults: int
) -> None:
    tokens = Tokens()
    first = tokens.define([insn()] * 3, start=START)
    second = tokens.define([insn()] * 2, start=goes_on_at)
    tokens.turn(1)
    tokens.run(first)
    tokens.event(LEFT, 1 + 1)
    tokens.run(second)
    found = replay(params(), tokens.program(), tokens.write(tmp_path / "trace"))
    assert found.statistics["faults"] == faults
    assert [interval.instructions for interval in found.intervals] == [1 + 2]
