# SPDX-License-Identifier: GPL-2.0-only
"""Runs hand-made traces on the CPU of cpu.py and reads the core model's answer."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from kassay.labs.predict.core import Replayed, replay
from tests.predict.cpu import params
from tests.predict.tokens import Block, Tokens, insn


def loop(lines: Sequence[str], function: int = 0) -> tuple[Tokens, Block]:
    """A block that ends with a jump to itself."""
    tokens = Tokens()
    return tokens, tokens.define([*lines, insn("jump")], function)


def answer(tokens: Tokens, directory: Path, **changed: int | str) -> Replayed:
    return replay(params(**changed), tokens.program(), tokens.write(directory / "trace"))


def rounds(tokens: Tokens, warm: int, count: int, once: Callable[[int], None]) -> None:
    """Round 1 with the executions 0 to warm - 1, round 2 with `count` further ones."""
    tokens.turn(1)
    for n in range(warm):
        once(n)
    tokens.turn(2)
    for n in range(warm, warm + count):
        once(n)


def each(replayed: Replayed, count: int) -> float:
    """Cycles of each of the `count` executions of round 2."""
    return replayed.intervals[1].cycles100 / 100 / count


def causes(replayed: Replayed) -> Counter[str]:
    """1/100 cycles of round 2 by cause."""
    found: Counter[str] = Counter()
    for row in replayed.rows:
        if row.round == 2:
            found[row.cause] += row.cycles100
    return found


def main_cause(replayed: Replayed) -> str:
    return causes(replayed).most_common(1)[0][0]
