# SPDX-License-Identifier: GPL-2.0-only
"""One fetch of one thing at a time, and a word to whoever has to wait."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kassay.effects.lock import Held, lock_file
from kassay.model.progress import Progress, Tell


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
