# SPDX-License-Identifier: GPL-2.0-only
"""Lock files: one fetch or build of one thing, one kassay per directory, one timed measurement per host.

A file is made when absent, never removed, and let go by the kernel when its holder ends, however it ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell


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


@contextmanager
def locked(path: Path, subject: str, tell: Tell, other: str = "another fetch of the same") -> Iterator[None]:
    """Holds the lock file `path`; says so when it has to wait. other: for what."""
    with ExitStack() as held:
        try:
            held.enter_context(lock_file(path, wait=False))
        except Held:
            tell(Progress(stage="kernels", subject=subject, text=f"waiting for {other}"))
            held.enter_context(lock_file(path, wait=True))
        yield


@contextmanager
def exclusive(path: Path, what: str, remedy: str = "choose another directory with --out",
              shared: bool = False) -> Iterator[None]:  # fmt: skip
    """Holds a lock file, alone or with others that share it.

    Raises HostLacks that names the holder when another process has it.
    """
    with ExitStack() as held:
        try:
            held.enter_context(lock_file(path, wait=False, shared=shared))
        except Held as error:
            raise HostLacks(f"{what} is in use by another kassay (process {error.holder or 'unknown'})",
                            f"wait for it to end, or {remedy}") from error  # fmt: skip
        yield


@contextmanager
def host_for(*, timed: bool) -> Iterator[None]:
    """The whole host for one timed measurement, or a share of it for a counted one, which would be part of the time."""
    path = cache_directory() / "host.lock"
    with exclusive(path, "this host's clock", "stop it", shared=not timed):
        yield
