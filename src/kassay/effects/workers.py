# SPDX-License-Identifier: GPL-2.0-only
"""One pure function over many items; over all CPUs where there are enough items to pay for starting processes."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from kassay.errors import HostLacks

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")

_LAST_S = 1.0
"""Time for a call that runs to remove its temporary files when the process is to end."""


def cpus() -> int:
    """CPUs that this process may run on."""
    return len(os.sched_getaffinity(0))


def mapped(function: Callable[[I], R], items: Sequence[I], *, many: int, chunk: int = 1) -> Iterator[R]:
    """function(item) for each item, in order. All of it must be picklable; an error in one is raised here. Raises
    HostLacks if one of the processes is killed.

    many: from this number of items on, other processes are started; each takes 0.3 s to start. chunk: items that a
    process takes at a time.
    """
    if len(items) < many or cpus() == 1:
        yield from map(function, items)
        return
    import multiprocessing  # late: few answers have so many
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Not forked: this process has threads.
    spawn = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(cpus(), mp_context=spawn, initializer=_end_with_parent) as pool:
            yield from pool.map(function, items, chunksize=chunk)
    except BrokenProcessPool as error:
        raise HostLacks("a process that computed a part of the answer was killed, perhaps for lack of memory",
                        "free some memory, and repeat the command") from error  # fmt: skip


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


def _leave(*_: object) -> None:
    """Raises SystemExit, so that a call that runs removes its temporary files. The pool takes the exception for the
    result of the call, and waits for the next one: the timer ends the process."""
    last = threading.Timer(_LAST_S, os._exit, (1,))
    last.daemon = True
    last.start()
    raise SystemExit(1)
