# SPDX-License-Identifier: GPL-2.0-only
"""One pure function over many items; over all CPUs where there are enough items to pay for starting processes."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")

_LAST_S = 1.0
"""Time for a call that runs to remove its temporary files when the parent was killed."""


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
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(cpus, mp_context=spawn, initializer=_end_with_parent) as pool:
        yield from pool.map(function, items, chunksize=chunk)


def _end_with_parent() -> None:
    """Ends this process when the one that started it was killed. Otherwise it would wait for items forever."""
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_LAST_S)  # the pool takes an exception of a call for its result, and waits for the next call
    os._exit(1)


def _leave(*_: object) -> None:
    """An exception, so that a call that runs removes its temporary files."""
    raise SystemExit(1)
