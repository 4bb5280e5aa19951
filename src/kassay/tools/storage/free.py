# SPDX-License-Identifier: GPL-2.0-only
"""Choose what is freed, the longest unused first, and remove it."""

import os
import re
import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_IRWXU
from typing import NamedTuple

from kassay.effects import clock
from kassay.effects.files import disk_errors
from kassay.errors import BadInput
from kassay.model.progress import Progress, Tell
from kassay.tools.storage.areas import NEVER
from kassay.tools.storage.scan import Entry

_QUIET_S = 2.0
_UNITS = {"h": 3600, "d": 86400, "w": 7 * 86400}


class Wish(NamedTuple):
    """The limits that the user set."""

    older_s: float | None = None
    """Seconds for which an entry must not have been used."""
    to_bytes: int | None = None
    """Stop as soon as the cache holds no more than this."""
    kinds: tuple[str, ...] = ()
    """Kinds to free, including entries of them that cannot be had again. Empty for all kinds."""


def parse_age(text: str) -> float:
    """Seconds in "30d", "12h" or "4w". Raises BadInput."""
    match = re.fullmatch(r"\s*(\d{1,6})\s*([hdw])\s*", text)
    if match is None:
        raise BadInput(f"--older {text!r}: not an age", "write a number with h, d or w, such as 30d")
    return int(match[1]) * _UNITS[match[2]]


def chosen(entries: Sequence[Entry], wish: Wish) -> tuple[Entry, ...]:
    """The entries to free, in the order in which they are freed."""
    total, latest = sum(entry.bytes for entry in entries), clock.wall_s() - (wish.older_s or 0)
    found = []
    for entry in sorted(_allowed(entries, wish.kinds), key=lambda entry: (entry.used_s, entry.name)):
        if wish.to_bytes is not None and total <= wish.to_bytes:
            break
        if wish.older_s is not None and entry.used_s > latest:
            break
        total -= entry.bytes
        found.append(entry)
    return tuple(found)


def _allowed(entries: Sequence[Entry], kinds: Collection[str]) -> Sequence[Entry]:
    return [entry for entry in entries if (entry.kind in kinds if kinds else entry.again != NEVER)]


def remove(entries: Sequence[Entry], tell: Tell) -> None:
    """Removes entries. Nobody else may use the cache meanwhile. Raises HostLacks where the disk does not allow it."""
    next_s = clock.monotonic_s() + _QUIET_S
    for number, entry in enumerate(entries):
        for path in map(Path, entry.paths):
            with disk_errors(path):
                _remove(path)
        if clock.monotonic_s() > next_s:
            next_s += _QUIET_S
            tell(Progress(stage="cache", subject="freeing", text=entry.name, done=(number + 1) / len(entries)))


def _remove(path: Path) -> None:
    """Removes a file or a whole directory. A directory gets another name first: what is half removed is never used."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    half = path.with_name(f".{path.name.lstrip('.')}.gone")
    if path != half:
        shutil.rmtree(half, ignore_errors=True)
        path.rename(half)
    for directory, names, _ in os.walk(half):
        for name in names:
            with suppress(OSError):  # a directory that may not be written cannot be emptied
                Path(directory, name).chmod(S_IRWXU, follow_symlinks=False)
    shutil.rmtree(half)
