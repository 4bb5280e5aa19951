# SPDX-License-Identifier: GPL-2.0-only
"""Who may measure: one kassay per directory, and one timed measurement per host."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors
from kassay.errors import HostLacks


@contextmanager
def exclusive(path: Path, what: str) -> Iterator[None]:
    """Holds a lock file; the kernel drops the lock when the process ends, however it ends.

    Raises HostLacks that names the holder when another process has it.
    """
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(handle, 64, 0).decode("ascii", "replace").strip() or "unknown"
            raise HostLacks(f"{what} is in use by another kassay (process {holder})",
                            "wait for it to end, or choose another directory with --out") from error  # fmt: skip
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


@contextmanager
def host_for_timing(needed: bool) -> Iterator[None]:
    """The whole host for one timed measurement: another kassay's runs would be part of the time."""
    if not needed:
        yield
        return
    with exclusive(cache_directory() / "timing.lock", "this host's clock"):
        yield
