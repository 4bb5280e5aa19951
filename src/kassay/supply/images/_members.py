# SPDX-License-Identifier: GPL-2.0-only
"""The members of several packages as one tree, with their content in one file on disk."""

import shutil
import stat
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from kassay.model.records import Record
from kassay.supply.archive.deb import tar_of
from kassay.supply.images import _rules

_KINDS = {tarfile.REGTYPE: stat.S_IFREG, tarfile.AREGTYPE: stat.S_IFREG, tarfile.DIRTYPE: stat.S_IFDIR,
          tarfile.SYMTYPE: stat.S_IFLNK, tarfile.LNKTYPE: stat.S_IFREG}  # fmt: skip


class Member(Record, frozen=True, kw_only=True):
    """One path of the tree."""

    path: str
    mode: int
    """Type and permission bits."""
    owner: tuple[int, int] = (0, 0)
    """User and group."""
    start: int = 0
    """Offset of its content in the file of contents."""
    size: int = 0
    """Size of its content in bytes."""
    same_as: str = ""
    """Path whose file it is another name of (a hard link)."""


class Tree:
    """Members by path, to which packages, links and files are added; of two with one path the last one counts."""

    def __init__(self, contents: IO[bytes]) -> None:
        self._contents = contents
        self.members: dict[str, Member] = {}

    def add_package(self, deb: Path) -> None:
        """Adds what _rules.image_path() does not leave out. Raises HostLacks when the package cannot be read."""
        with tar_of(deb) as tar:
            for info in tar:
                path = _rules.image_path(info.name)
                if path is not None and info.type in _KINDS:
                    self._add(tar, info, path)

    def _add(self, tar: tarfile.TarFile, info: tarfile.TarInfo, path: str) -> None:
        mode = _KINDS[info.type] | stat.S_IMODE(info.mode)
        owner = (info.uid, info.gid)
        first = _rules.image_path(info.linkname) if info.islnk() else None
        if first in self.members:
            self.members[path] = Member(path=path, mode=mode, owner=owner, same_as=first or "")
        elif info.issym():
            self.link(path, info.linkname)
        elif info.isdir():
            self.members[path] = Member(path=path, mode=mode, owner=owner)
        elif source := tar.extractfile(info):
            with source:
                start = self._contents.tell()
                shutil.copyfileobj(source, self._contents, 1 << 20)
            size = self._contents.tell() - start
            self.members[path] = Member(path=path, mode=mode, owner=owner, start=start, size=size)

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        start = self._contents.tell()
        size = self._contents.write(target.encode())
        self.members[path] = Member(path=path, mode=stat.S_IFLNK | 0o777, start=start, size=size)

    def merge(self, directory: str) -> None:
        """A link in the root to the directory of this name in /usr, if that has any file."""
        if any(path.startswith(f"usr/{directory}/") for path in self.members):
            self.link(directory, f"usr/{directory}")

    def make(self, entry: _rules.Made) -> None:
        """A file or directory of root."""
        if entry.data is None:
            self.members[entry.path] = Member(path=entry.path, mode=stat.S_IFDIR | entry.mode)
            return
        start = self._contents.tell()
        size = self._contents.write(entry.data)
        self.members[entry.path] = Member(path=entry.path, mode=stat.S_IFREG | entry.mode, start=start, size=size)

    def finish(self) -> tuple[Member, ...]:
        """All of it, parents first and in the order of names, with the directories that no package names."""
        for path in tuple(self.members):
            for parent in _parents(path):
                self.members.setdefault(parent, Member(path=parent, mode=stat.S_IFDIR | 0o755))
        return tuple(self.members[path] for path in sorted(self.members, key=lambda path: path.split("/")))

    def content(self, member: Member, most: int | None = None) -> bytes:
        """A file's bytes, or the target of a symbolic link; at most so many of them."""
        member = self.members[member.same_as] if member.same_as else member
        back = self._contents.tell()
        self._contents.seek(member.start)
        data = self._contents.read(member.size if most is None else min(member.size, most))
        self._contents.seek(back)
        return data


def _parents(path: str) -> Iterable[str]:
    parts: Sequence[str] = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
