# SPDX-License-Identifier: GPL-2.0-only
"""The naive closed queue: CPUs that think, ask for one lock, and hold it; first come, first served."""

from collections.abc import Callable
from heapq import heapify, heapreplace


def simulated_wait(
    cpus: int, think: Callable[[], float], hold: Callable[[], float], turns: int = 40_000, warmup: int = 0
) -> float:
    """Mean wait for the lock over the turns after the warm-up."""
    asks = [(think(), cpu) for cpu in range(cpus)]
    heapify(asks)
    free = waited = 0.0
    for turn in range(turns):
        at, cpu = asks[0]
        start = max(at, free)
        waited += start - at if turn >= warmup else 0
        free = start + hold()
        heapreplace(asks, (free + think(), cpu))
    return waited / (turns - warmup)
