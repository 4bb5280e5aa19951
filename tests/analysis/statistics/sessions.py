# SPDX-License-Identifier: GPL-2.0-only
"""Made-up sessions of boots."""

import random
from math import exp

from kassay.analysis.statistics.blocked import Boot


def drawn(seed: int, blocks: int = 5, each: int = 2, effect: float = 0.0, cv: float = 0.05) -> list[Boot]:
    """Blocks of `each` boots per kernel in random order; effect: logarithm of head / base."""
    draw, made = random.Random(seed), []
    for block in range(blocks):
        heads = [False, True] * each
        draw.shuffle(heads)
        made += [Boot(block, head, 100 * exp(draw.gauss(0, cv) + effect * head)) for head in heads]
    return made


def flat(shapes: list[tuple[int, int]], effect: float, drift: float = 0.0) -> list[Boot]:
    """Blocks of (base, head) boots without any noise; drift: growth from block to block, as a logarithm."""
    return [
        Boot(block, head, exp(drift * block + effect * head))
        for block, counts in enumerate(shapes)
        for head, count in enumerate(counts)
        for _ in range(count)
        for head in (bool(head),)
    ]
