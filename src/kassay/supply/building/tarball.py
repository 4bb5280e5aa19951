# SPDX-License-Identifier: GPL-2.0-only
"""Tarballs of kernel sources, unpacked by the host's tar. Python's own is four times as slow for 90 000 files."""

import os
from pathlib import Path
from typing import IO

from kassay.effects import process
from kassay.errors import HostLacks

_SLOW_S = 1800


def unpack_sources(plain: IO[bytes], directory: Path, tarball: Path) -> bool:
    """Unpacks a tarball without its first path component into an empty directory. Returns True for kernel sources.

    plain: its content without compression. tarball: for errors. Raises HostLacks if tar fails.
    """
    os.lseek(plain.fileno(), 0, os.SEEK_SET)
    # The short options are understood by busybox, too. -o leaves files to the user who unpacks them.
    argv = ("tar", "-x", "-o", "-f", "-", "-C", str(directory), "--strip-components=1")
    ended = process.run(argv, stdin=plain, timeout_s=_SLOW_S)
    if ended.status:
        reason = (ended.err.strip().splitlines() or ["tar failed"])[-1]
        full = "No space left" in ended.err
        raise HostLacks(f"{tarball}: {reason}", "free some space" if full else "delete the file, or get another one")
    return (directory / "Kconfig").is_file()
