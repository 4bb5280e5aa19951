# SPDX-License-Identifier: GPL-2.0-only
"""Files by path, wherever they are: in a tar or cpio archive, in a directory, or in several of these."""

import stat
import tarfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple


class Contents(ABC):
    """Regular files by path ("boot/config-6.12")."""

    @property
    @abstractmethod
    def paths(self) -> tuple[str, ...]:
        """Every regular file."""

    @abstractmethod
    def read(self, path: str) -> bytes:
        """A file's bytes. Raises KeyError if there is no such file."""

    def found(self, prefix: str, suffix: str = "") -> str | None:
        """Path of the first file that starts and ends so, or None."""
        return next((path for path in self.paths if path.startswith(prefix) and path.endswith(suffix)), None)

    def find(self, prefix: str, suffix: str = "") -> bytes | None:
        """The first file that starts and ends so, or None."""
        path = self.found(prefix, suffix)
        return None if path is None else self.read(path)


class Package(NamedTuple):
    """A package file while it is open."""

    name: str
    version: str
    contents: Contents


class TarContents(Contents):
    """The files of a tar archive, readable while it is open."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._members = {m.name.removeprefix("./"): m for m in tar.getmembers() if m.isfile()}

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self._members)

    def read(self, path: str) -> bytes:
        file = self._tar.extractfile(self._members[path])
        if file is None:
            raise KeyError(path)
        with file:
            return file.read()


class FileParts(Contents):
    """Files that are parts of one open file. places: path -> offset and length."""

    def __init__(self, file: IO[bytes], places: Mapping[str, tuple[int, int]]) -> None:
        self._file, self._places = file, places

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self._places)

    def read(self, path: str) -> bytes:
        start, length = self._places[path]
        self._file.seek(start)
        return self._file.read(length)


class DirectoryContents(Contents):
    """The files below a directory, with `prefix` in front of their paths. Links are left out."""

    def __init__(self, directory: Path, prefix: str = "") -> None:
        found = (path for path in sorted(directory.rglob("*")) if stat.S_ISREG(path.lstat().st_mode))
        self._files = {f"{prefix}{path.relative_to(directory)}": path for path in found}

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self._files)

    def read(self, path: str) -> bytes:
        return self._files[path].read_bytes()


class JoinedContents(Contents):
    """Several contents as one; the first that has a path gives it. prefixes: of the paths that are taken."""

    def __init__(self, parts: Sequence[Contents], prefixes: tuple[str, ...] = ("",)) -> None:
        self._parts = {path: part for part in reversed(parts) for path in part.paths if path.startswith(prefixes)}

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self._parts)

    def read(self, path: str) -> bytes:
        return self._parts[path].read(path)
