# SPDX-License-Identifier: GPL-2.0-only
"""Lock files: made when absent, never removed, let go by the kernel when their holder ends, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.effects.files import disk_errors


class Held(Exception):
    """Somebody else has the lock. holder: what the lock file says of who it is, "" when it says nothing."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


@contextmanager
def lock_file(path: Path, *, wait: bool, shared: bool = False) -> Iterator[None]:
    """Holds `path` alone, or with all who share it; works between threads as between processes.

    Without `wait` raises Held when it cannot be had at once. The file names the process that holds it.
    """
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Held(os.pread(handle, 64, 0).decode("ascii", "replace").strip()) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)
