# SPDX-License-Identifier: GPL-2.0-only
"""A cache of its own for one block, which takes from the usual one what that has already."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors, publish_file, sha256_file

_usual: list[Path] = []  # at most one


@contextmanager
def cache_in(directory: Path, *copied: str) -> Iterator[None]:
    """Uses directory/kassay as the cache in this block. copied: directories of the usual cache to begin with."""
    before, usual = os.environ.get("XDG_CACHE_HOME"), cache_directory()
    os.environ["XDG_CACHE_HOME"] = str(directory.absolute())
    _usual.append(usual)
    try:
        for name in copied:
            if (usual / name).is_dir() and not (cache_directory() / name).exists():
                with disk_errors(directory):
                    shutil.copytree(usual / name, cache_directory() / name)
        yield
    finally:
        _usual.clear()
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before


def take_from_usual(final: Path, sha256: str) -> bool:
    """Copies a file of this content from the usual cache to its place in the one of cache_in(). False if there is
    none, and outside of cache_in()."""
    for usual in _usual:
        path = usual / final.relative_to(cache_directory())
        if path.is_file() and sha256_file(path) == sha256:
            publish_file(final, partial(_copy, path))
            return True
    return False


def _copy(path: Path, final: Path) -> None:
    shutil.copyfile(path, final)
