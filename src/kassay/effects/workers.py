# SPDX-License-Identifier: GPL-2.0-only
"""One pure function over many items, on every CPU of this process when that is worth the start of other processes."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")

MANY = 64
"""Items from which on other processes are started: each takes 0.3 s to come up."""
_CHUNK = 8


def mapped(function: Callable[[I], R], items: Sequence[I]) -> Iterator[R]:
    """function(item) for each item, in order. All of it must be picklable; an error in one is raised here."""
    cpus = len(os.sched_getaffinity(0))
    if len(items) < MANY or cpus == 1:
        yield from map(function, items)
        return
    # Not forked: this process has threads.
    with ProcessPoolExecutor(cpus, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(function, items, chunksize=_CHUNK)
