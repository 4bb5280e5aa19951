# SPDX-License-Identifier: GPL-2.0-only
"""All sets of a TLB are used: as many pages as it has entries are held, also where it has few ways."""

from pathlib import Path

from tests.predict.runs import answer, loop, rounds
from tests.predict.tokens import load


def test_pages_that_fit_are_walked_to_once(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2)])
    rounds(tokens, 64, 64, lambda n: tokens.run(block, (0, (0x100 + n % 64) << 12, False)))
    replayed = answer(tokens, tmp_path, dtlb_entries=4, dtlb_ways=4, stlb_entries=64, stlb_ways=4)
    assert replayed.statistics["walks"] == 64
