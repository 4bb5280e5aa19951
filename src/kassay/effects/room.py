# SPDX-License-Identifier: GPL-2.0-only
"""Directories of the cache whose files can be made again: bounded on disk, the longest unused go first."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from kassay.effects.lock import locked


def make_room(directory: Path, suffix: str, beside: Sequence[str], most_bytes: int, *, unused_since: float) -> None:
    """Removes the longest unused files with this suffix, and those of the same name with the suffixes in `beside`,
    until the others take most_bytes at most, and at most half of what the disk would have free without them.

    Whoever uses a file sets its times. unused_since: what was used later stays (seconds since 1970).
    """
    with locked(directory / "room.lock"):
        found = []
        for path in directory.iterdir():
            with suppress(FileNotFoundError):
                if path.suffix == suffix:
                    seen = path.stat()
                    found.append((seen.st_mtime, seen.st_size, path))
        total = sum(size for _, size, _ in found)
        most = min(most_bytes, (shutil.disk_usage(directory).free + total) // 2)
        for used, size, path in sorted(found):
            if total <= most or used > unused_since:
                return
            total -= size
            for gone in (path, *(path.with_suffix(other) for other in beside)):
                gone.unlink(missing_ok=True)
