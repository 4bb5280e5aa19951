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
def exclusive(path: Path, what: str, remedy: str = "choose another directory with --out",
              shared: bool = False) -> Iterator[None]:  # fmt: skip
    """Holds a lock file, alone or with others that share it; the kernel drops the lock when the process ends.

    Raises HostLacks that names the holder when another process has it.
    """
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(handle, 64, 0).decode("ascii", "replace").strip() or "unknown"
            raise HostLacks(f"{what} is in use by another kassay (process {holder})",
                            f"wait for it to end, or {remedy}") from error  # fmt: skip
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


@contextmanager
def host_for(*, timed: bool) -> Iterator[None]:
    """The whole host for one timed measurement, or a share of it for a counted one, which would be part of the time."""
    path = cache_directory() / "host.lock"
    with exclusive(path, "this host's clock", "stop it", shared=not timed):
        yield
