# SPDX-License-Identifier: GPL-2.0-only
"""One at a time, across threads and processes; the kernel drops the lock when its holder dies."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.effects.files import disk_errors
from kassay.model.progress import Progress, Tell


@contextmanager
def locked(path: Path, subject: str, tell: Tell) -> Iterator[None]:
    """Holds the lock file `path` (made when absent, never removed); says so when it has to wait."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(Progress(stage="kernels", subject=subject, text="waiting for another fetch of the same"))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
