# SPDX-License-Identifier: GPL-2.0-only
"""Does the core model give the known answer where the time is known: chains, widths, caches, branches, atomics?"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kassay.predict.core import Replayed, replay
from tests.predict.cpu import params
from tests.predict.tokens import Block, Tokens, insn

ADD = insn(data="1", writes="1")


def loop(lines: Sequence[str], function: int = 0) -> tuple[Tokens, Block]:
    """A block that ends with a jump to itself."""
    tokens = Tokens()
    return tokens, tokens.define([*lines, insn("jump", latency=1)], function)


def answer(tokens: Tokens, tmp_path: Path, **changed: int | str) -> Replayed:
    return replay(params(**changed), tokens.program(), tokens.write(tmp_path / "trace"))


def cycles(
    tokens: Tokens, once: Callable[[], None], count: int, tmp_path: Path, warm: int = 20, **changed: int | str
) -> float:
    """Cycles of each of `count` executions, after `warm` others."""
    tokens.turn(1)
    for _ in range(warm):
        once()
    tokens.turn(2)
    for _ in range(count):
        once()
    return answer(tokens, tmp_path, **changed).intervals[1].cycles100 / 100 / count


def causes(replayed: Replayed, number: int = 2) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in replayed.rows:
        if row.round == number:
            found[row.cause] += row.cycles100
    return found


def main_cause(replayed: Replayed) -> str:
    return causes(replayed).most_common(1)[0][0]


def test_a_chain_takes_a_cycle_for_each_addition(tmp_path: Path) -> None:
    tokens, block = loop([ADD] * 50)
    assert cycles(tokens, lambda: tokens.run(block), 100, tmp_path) == pytest.approx(50, rel=0.02)
    assert main_cause(answer(tokens, tmp_path)) == "dependency"


@pytest.mark.parametrize("width", [2, 4])
def test_independent_additions_take_the_width(tmp_path: Path, width: int) -> None:
    tokens, block = loop([insn(writes=str(n % 8)) for n in range(47)])
    assert cycles(tokens, lambda: tokens.run(block), 100, tmp_path, width=width) == pytest.approx(48 / width, rel=0.02)
    assert main_cause(answer(tokens, tmp_path, width=width)) == "width"
