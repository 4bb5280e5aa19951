# SPDX-License-Identifier: GPL-2.0-only
"""Writes the files of a site so that every page is whole at any moment."""

import shutil
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from kassay.effects.files import disk_errors
from kassay.effects.lock import locked, refusing
from kassay.errors import BadInput
from kassay.model.records import Record

File = tuple[str, bytes]
"""Path below the site, and content."""


class Published(Record, frozen=True, kw_only=True):
    """Result of one publication."""

    files: int
    changed: int
    size: int
    """Bytes of all files."""


BUNDLES = "bundle"
"""Directory of a site that a laboratory fills before the first publication."""
SIGNS = {"site.css", "site.js"}
"""Files that are published first: a directory that has one is a site."""


def lock_of(directory: Path) -> Path:
    """Lock of a site: one process at a time writes it. It stands beside the directory, which is served."""
    return directory.parent / f".{directory.name}.lock"


def check_place(directory: Path) -> None:
    """Raises BadInput if a directory has files and no site, so that no site is mixed into somebody's files, and for a
    file in its place."""
    if directory.exists() and not directory.is_dir():
        raise BadInput(f"{directory}: not a directory", "name a new directory, or one with a site")
    names = {path.name for path in directory.iterdir()} if directory.is_dir() else set()
    if names - {BUNDLES} and not names & SIGNS:
        raise BadInput(f"{directory}: it has other files, and no site", "name a new directory, or one with a site")


def publish(files: Iterable[File], directory: Path) -> Published:
    """Puts the files in place, in the order given, each in one step. A file whose bytes are equal keeps its time.

    All changed files are written to a directory beside the site first, so that a full disk leaves the site as it was.
    The caller has the site's lock. Raises HostLacks if the disk is full or a path cannot be written.
    """
    staging = directory.parent / f".{directory.name}.new"
    staged: list[tuple[Path, Path]] = []
    count = size = 0
    with disk_errors(directory):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        try:
            for path, content in files:
                count, size = count + 1, size + len(content)
                target = directory / path
                if _has(target, content):
                    continue
                part = staging / str(len(staged))
                part.write_bytes(content)
                staged.append((part, target))
            for part, target in staged:
                target.parent.mkdir(parents=True, exist_ok=True)
                part.replace(target)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return Published(files=count, changed=len(staged), size=size)


def _has(path: Path, content: bytes) -> bool:
    with suppress(FileNotFoundError, NotADirectoryError):
        return path.stat().st_size == len(content) and path.read_bytes() == content
    return False


def writing(directory: Path) -> AbstractContextManager[None]:
    """Lock for one process that writes the site; another one is refused. Raises HostLacks."""
    return locked(lock_of(directory), refusing(str(directory), "choose another directory"))
