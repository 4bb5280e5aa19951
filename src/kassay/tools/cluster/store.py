# SPDX-License-Identifier: GPL-2.0-only
"""Files that came from elsewhere, by the sha256 of their content: each comes to a host once, and is checked there."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kassay.effects import clock
from kassay.effects.cache_limit import make_room
from kassay.effects.files import cache_directory, disk_errors, set_mode, sha256_file

PART_BYTES = 16 << 20
"""Bytes of a file in one message."""

KEEP_BYTES = 20 << 30
"""Files beyond this are deleted, the longest unused first."""

_IN_USE_S = 3600


class WrongContent(Exception):
    """A file arrived whose content does not have the hash in its name."""


def path_of(sha256: str) -> Path:
    """Path of the file with this hash, present or not."""
    return cache_directory() / "travelled" / sha256


def missing(wanted: Iterable[str]) -> list[str]:
    """The hashes whose files this host lacks. The other files are kept for at least an hour."""
    return [sha256 for sha256 in wanted if not _touched(path_of(sha256))]


def _touched(path: Path) -> bool:
    try:
        os.utime(path)
    except OSError:
        return False
    return True


def keep(sha256: str, sender: str, offset: int, part: bytes, size: int) -> None:
    """Adds a part of a file, in order; the last one puts the file in place. sender: a word that no other sender has.

    Raises WrongContent where the whole is not what its hash says.
    """
    final = path_of(sha256)
    partial = final.with_name(f"{sha256}.{sender}-part")
    with disk_errors(final):
        final.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb" if offset == 0 else "r+b") as file:
            file.seek(offset)
            file.write(part)
            if offset + len(part) == size:
                file.flush()
                os.fsync(file.fileno())
        if offset + len(part) < size:
            return
        if sha256_file(partial) != sha256:
            partial.unlink()
            raise WrongContent(f"a file of {size} bytes arrived that is not {sha256}")
        set_mode(partial, 0o444)
        partial.replace(final)
        _tidy(final.parent)


def _tidy(directory: Path) -> None:
    """Removes files that were not used for long, and parts whose sender stopped in the middle."""
    for path in directory.glob("*-part"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < clock.wall_s() - _IN_USE_S:
                path.unlink()
    make_room(directory, "", (), KEEP_BYTES, unused_since=clock.wall_s() - _IN_USE_S)
