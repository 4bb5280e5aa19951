# SPDX-License-Identifier: GPL-2.0-only
"""Names of files in a bundle: plain, relative, below it; and which files lie in a directory."""

import stat
from pathlib import Path

from kassay.errors import BadInput

_LONGEST_PART, _LONGEST = 100, 200  # bytes; what the plainest form of tar can hold


def checked_name(name: str, where: str) -> str:
    """The name itself. Raises BadInput for one that could lead anywhere else: absolute, "..", strange, too long."""
    parts = name.split("/")
    plain = all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= _LONGEST_PART for part in parts)
    if not plain or not name.isprintable() or "\\" in name or len(name.encode("utf-8", "replace")) > _LONGEST:
        raise BadInput(f"{where}: {name[:80]!r} is not a name for a file in a bundle", "get the bundle anew")
    return name


def files_below(root: Path) -> tuple[str, ...]:
    """Every file below `root`, relative and sorted. Raises BadInput for a link, a device, or a strange name."""
    found = []
    try:
        for path in root.rglob("*"):
            kind = path.lstat().st_mode
            name = path.relative_to(root).as_posix()
            if stat.S_ISREG(kind):
                found.append(checked_name(name, str(root)))
            elif not stat.S_ISDIR(kind):
                raise BadInput(f"{root}: {name!r} is a link or a device, no file", "get the bundle anew")
    except OSError as error:
        raise BadInput(f"{root}: {error.strerror or error}", "give a bundle: a directory, or a .tar.zst") from error
    return tuple(sorted(found))
