# SPDX-License-Identifier: GPL-2.0-only
"""The entries of the cache with their sizes, the time of their last use, and what needs them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import msgspec

from kassay.effects import clock
from kassay.effects.files import kept_record
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.supply.archive.index import Index
from kassay.tools.storage.areas import FETCH, MAKE, NEVER, OTHER, area_named, is_lock, kind_of

_QUIET_S = 2.0
_FILES_OF_ONE = ("images", "snapshots")
"""Kinds whose entries are several files with one stem."""


class Entry(Record, frozen=True, kw_only=True):
    """One thing that is freed as a whole."""

    kind: str
    name: str
    """Path below the cache; for several files, the path of the first."""
    title: str
    """Name for people."""
    bytes: int
    """Room on the disk. A file with several names counts once."""
    apparent_bytes: int
    used: str
    """Time of its last use, UTC. The file system may record it to the day only, or only when a file was made."""
    used_s: float
    needed_by: tuple[str, ...]
    again: str
    """Way to get it again: "fetched", "made", or "no" if it cannot be had again."""
    paths: tuple[str, ...]


class _Sum:
    """Sizes and the latest time of files."""

    def __init__(self) -> None:
        self.bytes = self.apparent = 0
        self.used_s = 0.0
        self.paths: list[str] = []


class _Walk:
    """Adds up files, and tells of it when it takes long."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._next_s = tell, clock.monotonic_s() + _QUIET_S
        self._seen = set[tuple[int, int]]()
        self._files = 0

    def add(self, path: Path, into: _Sum) -> None:
        """Adds a file, or a directory with all that is in it. Reading a directory, as here, is no use of it."""
        into.paths.append(str(path))
        pending = [str(path)]
        while pending:
            current = pending.pop()
            with suppress(FileNotFoundError, PermissionError):
                status = os.lstat(current)
                self._count(status, into, is_read_here=current.endswith(".json"))
                if S_ISDIR(status.st_mode):
                    pending.extend(entry.path for entry in os.scandir(current))

    def _count(self, status: os.stat_result, into: _Sum, *, is_read_here: bool) -> None:
        """is_read_here: this module reads the file, which is no use of it. Who uses a kernel sets the time."""
        self._files += 1
        if clock.monotonic_s() > self._next_s:
            self._next_s += _QUIET_S
            self._tell(Progress(stage="cache", subject="reading", text=f"{self._files} files"))
        inode = (status.st_dev, status.st_ino)
        if not S_ISDIR(status.st_mode):
            into.used_s = max(into.used_s, status.st_mtime, 0 if is_read_here else status.st_atime)
            if status.st_nlink > 1 and inode in self._seen:
                return
            self._seen.add(inode)
            into.apparent += status.st_size
        into.bytes += status.st_blocks * 512


def entries(cache: Path, tell: Tell) -> tuple[Entry, ...]:
    """Everything in the cache but locks, the largest first."""
    walk, sums = _Walk(tell), dict[tuple[str, str], _Sum]()
    builds, facts = _builds(cache), _Facts(cache)
    for kind, path in _found(cache, cache):
        name = path.relative_to(cache).as_posix()
        key = (kind, name.partition(".")[0] if kind in _FILES_OF_ONE else name)
        if name.startswith("lines/") and (kernel := builds.get(path.stem)):
            key = ("kernels", f"kernels/{kernel}.build")  # the tables go with the kernel, and are made with it
        walk.add(path, sums.setdefault(key, _Sum()))
    found = (facts.entry(kind, name, total) for (kind, name), total in sums.items())
    return tuple(sorted(found, key=lambda entry: (-entry.bytes, entry.name)))


def _found(cache: Path, directory: Path) -> Iterator[tuple[str, Path]]:
    try:
        children = sorted(directory.iterdir())
    except (FileNotFoundError, PermissionError):
        return
    except NotADirectoryError as error:
        raise HostLacks(f"{directory}: no directory", "set XDG_CACHE_HOME to one that you may write to") from error
    for path in children:
        kind = kind_of(path.relative_to(cache).as_posix())
        if is_lock(path.name):
            continue
        if kind is None and path.is_dir() and not path.is_symlink():
            yield from _found(cache, path)
        else:
            yield kind or OTHER, path


def _builds(cache: Path) -> Mapping[str, str]:
    """Key of each build -> sha256 of the image that it gave, if that kernel is in the cache."""
    images = {path.name: _text(path) for path in _within(cache / "refs" / "build", "[!.]*")}
    return {key: sha for key, sha in images.items() if (cache / "kernels" / f"{sha}.build").is_dir()}


def _within(directory: Path, pattern: str) -> list[Path]:
    """Paths that fit; none if it may not be read."""
    try:
        return list(directory.glob(pattern))
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


class _Facts:
    """Facts from the store about kernels and their packages."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._kernels: dict[str, dict[str, Any]] = {}
        for path in _within(cache / "kernels", "*/kernel.json"):
            with suppress(OSError, msgspec.DecodeError, KeyError, TypeError):
                self._kernels[path.parent.name] = msgspec.json.decode(path.read_bytes())["artifact"]
        lists = [path for kind in ("apt", "archive") for path in _within(cache / kind, "*/*/kernels.json")]
        indices = (kept_record(path, Index) for path in lists)
        self._listed = {(p.name, p.version) for index in indices if index for p in index.packages}
        self._refs: dict[str, list[str]] = {}
        for path in _within(cache / "refs" / "debian", "*/*/[!.]*"):
            self._refs.setdefault(_text(path), []).append(f"debian:{path.name.partition('_')[2]}")
        for path in _within(cache / "refs" / "build", "[!.]*"):
            self._refs.setdefault(_text(path), []).append("build:")

    def entry(self, kind: str, name: str, total: _Sum) -> Entry:
        needed_by: tuple[str, ...] = (area_named(kind).needed_by,)
        again, title, key = area_named(kind).again, name, name.partition("/")[2]
        if kind == "kernels" and key in self._kernels:
            title, needed_by, again = self._kernel(key)
        elif kind in ("modules", "symbols") and (kernel := self._kernels.get(Path(name).name.partition(".")[0])):
            needed_by = (str(kernel["identity"]["release"]),)
        elif kind == "packages":
            needed_by, again = self._package(name)
        elif kind == "trees":
            again = MAKE if self._tree_is_packed(name) else NEVER
        return Entry(
            kind=kind, name=name, title=title, bytes=total.bytes, apparent_bytes=total.apparent,
            used=clock.utc_at(total.used_s), used_s=total.used_s, needed_by=needed_by, again=again,
            paths=tuple(total.paths),
        )  # fmt: skip

    def _kernel(self, key: str) -> tuple[str, tuple[str, ...], str]:
        artifact = self._kernels[key]
        identity = artifact["identity"]
        image, _, origin = key.partition(".")
        refs = tuple(sorted(set(self._refs.get(image, ())))) or (area_named("kernels").needed_by,)
        if origin == "build":
            return f"{identity['release']} {identity['arch']}, built", refs, MAKE
        if origin:
            return f"{identity['release']} {identity['arch']}, of your files", ("runs with the same files",), NEVER
        package = (identity.get("package"), identity.get("package_version"))
        again = FETCH if package in self._listed else NEVER  # a package in the cache is not enough: a list names it
        return f"{identity['release']} {identity['arch']}", refs, again

    def _package(self, name: str) -> tuple[tuple[str, ...], str]:
        file = Path(name).name
        needed = tuple(
            str(kernel["identity"]["release"]) for kernel in self._kernels.values() if file in kernel["packages"]
        )
        package, _, version = file.removesuffix(".deb").partition("_")
        again = FETCH if (package, version) in self._listed else NEVER
        return needed or (area_named("packages").needed_by,), again

    def _tree_is_packed(self, name: str) -> bool:
        if name.startswith("sources/functions/"):
            return (self._cache / "sources" / "git").is_dir()
        directory = self._cache / "packages" / "source"
        return any((directory / f"{Path(name).name}.{suffix}").exists() for suffix in ("deb", "tar.xz"))
