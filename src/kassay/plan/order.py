# SPDX-License-Identifier: GPL-2.0-only
"""The order of runs: which kernel is measured when, so that drift hits all alike."""

import random


def blocks(order: str, kernels: int, repeats: int, seed: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Blocks of (kernel index, repeat number), every kernel `repeats` times in all.

    interleaved: each block has every kernel once, in random order. sandwich: forwards, then
    backwards (A B B A, A B C C B A), which cancels a linear drift. sequential: all repeats
    of one kernel, then the next; only for comparison with others' results.
    """
    if order == "sequential":
        return tuple(tuple((kernel, repeat) for repeat in range(repeats)) for kernel in range(kernels))
    shuffled = random.Random(f"order/{seed}")
    made = []
    for repeat in range(repeats):
        members: list[int] = list(range(kernels))
        if order == "interleaved":
            shuffled.shuffle(members)
        elif repeat % 2:
            members.reverse()
        made.append(tuple((kernel, repeat) for kernel in members))
    return tuple(made)
