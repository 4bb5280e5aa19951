# SPDX-License-Identifier: GPL-2.0-only
"""One pure function over many items; over all CPUs where there are enough items to pay for starting processes."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")


def mapped(function: Callable[[I], R], items: Sequence[I], *, many: int, chunk: int = 1) -> Iterator[R]:
    """function(item) for each item, in order. All of it must be picklable; an error in one is raised here.

    many: from this number of items on, other processes are started; each takes 0.3 s to start. chunk: items that a
    process takes at a time.
    """
    cpus = len(os.sched_getaffinity(0))
    if len(items) < many or cpus == 1:
        yield from map(function, items)
        return
    import multiprocessing  # late: few answers have so many
    from concurrent.futures import ProcessPoolExecutor

    # Not forked: this process has threads.
    with ProcessPoolExecutor(cpus, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(function, items, chunksize=chunk)
