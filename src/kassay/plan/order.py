# SPDX-License-Identifier: GPL-2.0-only
"""The order of runs: which kernel is measured when, so that drift hits all alike."""

import random
from typing import NamedTuple


class Member(NamedTuple):
    """One run of a block. control: a boot of the first kernel that is compared with that kernel alone."""

    kernel: int
    repeat: int
    control: bool = False


def blocks(
    order: str, kernels: int, repeats: int, seed: int | str, *, exact: bool = True, control: bool = False
) -> tuple[tuple[Member, ...], ...]:
    """Blocks of runs, every kernel `repeats` times in all.

    interleaved: each block has every kernel once, or twice where time is measured, in random order; with `control`
    the first kernel has as many boots more. sandwich: forwards, then backwards (A B B A, A B C C B A),
    which cancels a linear drift. sequential: all repeats of one kernel, then the next; only for comparison with
    others' results.
    """
    if order == "sequential":
        return tuple(tuple(Member(kernel, repeat) for repeat in range(repeats)) for kernel in range(kernels))
    shuffled = random.Random(f"order/{seed}")
    made = []
    size = 1 if exact else 2
    for first in range(0, repeats, size):
        turns = range(first, min(first + size, repeats))
        members = [Member(kernel, repeat) for repeat in turns for kernel in _turn(order, kernels, repeat)]
        if control:
            members += [Member(0, repeats + repeat, True) for repeat in turns]
        if order == "interleaved":
            shuffled.shuffle(members)
        made.append(tuple(members))
    return tuple(made)


def _turn(order: str, kernels: int, repeat: int) -> range:
    """Every kernel once: backwards in every other turn of a sandwich."""
    return range(kernels - 1, -1, -1) if order == "sandwich" and repeat % 2 else range(kernels)
