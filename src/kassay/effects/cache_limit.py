# SPDX-License-Identifier: GPL-2.0-only
"""Directories of the cache whose files can be made again: limited in size, the longest unused are removed first."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from kassay.effects.lock import locked


def make_room(
    directory: Path, suffix: str, other_suffixes: Sequence[str], most_bytes: int, *, unused_since: float
) -> None:
    """Removes the longest unused files with this suffix, and those of the same name with one of other_suffixes, until
    the rest takes at most most_bytes, and at most half of what the disk would have free without them.

    The user of a file must set its times. unused_since: files that were used later stay (seconds since 1970).
    """
    with locked(directory / "room.lock"):
        files = []
        for path in directory.iterdir():
            with suppress(FileNotFoundError):
                if path.suffix == suffix:
                    status = path.stat()
                    files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        most = min(most_bytes, (shutil.disk_usage(directory).free + total) // 2)
        for used, size, path in sorted(files):
            if total <= most or used > unused_since:
                return
            total -= size
            for unused in (path, *(path.with_suffix(other_suffix) for other_suffix in other_suffixes)):
                unused.unlink(missing_ok=True)
