# SPDX-License-Identifier: GPL-2.0-only
"""An image: packages -> one cpio archive, which the kernel unpacks into its root file system behind kassay's own.

The same packages and links give the same bytes on every host; an image is kept in the cache under the hash of what it
is made of.
"""

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from kassay.effects import clock
from kassay.effects.cache_limit import make_room
from kassay.effects.files import (
    cache_directory,
    disk_errors,
    kept_record,
    set_mode,
    sha256_bytes,
    sha256_file,
    swept,
    write_atomic,
)
from kassay.effects.lock import locked, waiting
from kassay.model.packages import ArchivePackage, Image
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, to_json
from kassay.supply.arches import arch_of
from kassay.supply.guest import cpio
from kassay.supply.images import _rules
from kassay.supply.images._libraries import CACHE, lacking, loader_cache, objects
from kassay.supply.images._members import Member, Tree

_PAGE = 4096
_INODE_BYTES = 1024
"""Memory of the guest for an inode and its name: 0.6 kB and 0.2 kB on 6.1 to 7.3."""

KEEP_BYTES = 8 << 30
"""Images beyond this are deleted, the longest unused first."""
_IN_USE_S = 12 * 3600  # a measurement may still read its image

Fetch = Callable[[], Sequence[Path]]
Links = Sequence[tuple[str, str]]


class _Inputs(Record, frozen=True, kw_only=True):
    """Everything that an image depends on."""

    rules: int
    arch: str
    packages: tuple[tuple[str, str, str], ...]
    """Name, version and sha256 of each package."""
    links: tuple[tuple[str, str], ...]


def image(packages: Sequence[ArchivePackage], links: Links, arch: str, fetch: Fetch, tell: Tell) -> tuple[Image, Path]:
    """The image and its cpio archive, read-only in the cache; made where it is not there.

    links: (path, target) of symbolic links that maintainer scripts would have made. fetch: gives the packages' files in
    their order; called only when the image is made. Raises what fetch() raises, and HostLacks when the disk is full.
    """
    identities = tuple((package.name, package.version, package.sha256) for package in packages)
    inputs = _Inputs(rules=_rules.VERSION, arch=arch, packages=identities, links=tuple(links))
    key = sha256_bytes(to_json(inputs))
    final = cache_directory() / "images" / f"{key}.cpio"
    with locked(final.with_suffix(".lock"), waiting(tell, "an image")):
        stored = kept_record(final.with_suffix(".json"), Image)
        if stored is None or not final.is_file() or sha256_file(final) != stored.sha256:
            stored = _make(inputs, fetch(), final, tell)
            make_room(final.parent, ".cpio", (".json",), KEEP_BYTES, unused_since=clock.wall_s() - _IN_USE_S)
        os.utime(final)
    return stored, final


def _make(inputs: _Inputs, debs: Sequence[Path], final: Path, tell: Tell) -> Image:
    with swept(final.with_suffix(".partial")) as scratch:
        with disk_errors(final), (scratch / "contents").open("w+b") as contents:
            tree = Tree(contents)
            for number, deb in enumerate(debs, start=1):
                subject = f"package {number} of {len(debs)}"
                tell(
                    Progress(
                        stage="image", subject=subject, text=inputs.packages[number - 1][0], done=number / len(debs)
                    )
                )
                tree.add_package(deb)
            for directory in _rules.MERGED:
                tree.merge(directory)
            for file in _rules.MADE:
                tree.make(file)
            for path, target in inputs.links:
                tree.link(_rules.image_path(path) or path.lstrip("/"), target)
            objects_by_path = objects(tree, inputs.arch)
            if arch_of(inputs.arch).build.library_flags:
                tree.make(_rules.Made(CACHE, 0o644, loader_cache(tree, objects_by_path, inputs.arch)))
            missing = tuple(lacking(tree, objects_by_path, inputs.arch))
            members = tree.finish()
            with (scratch / "cpio").open("wb") as out:
                _write(members, contents, out)
        result = _described(inputs.arch, members, missing, scratch / "cpio")
        set_mode(scratch / "cpio", 0o444)
        (scratch / "cpio").replace(final)
    write_atomic(final.with_suffix(".json"), to_json(result))
    return result


def _write(members: Sequence[Member], contents: IO[bytes], out: IO[bytes]) -> None:
    """The archive. Of several names of one file the first has the content."""
    names = Counter(member.same_as or member.path for member in members)
    inodes = {path: number for number, path in enumerate(names, start=1)}
    by_path = {member.path: member for member in members}
    written = set[str]()
    for member in members:
        file = by_path[member.same_as or member.path]
        links = 2 if stat.S_ISDIR(file.mode) else names[file.path]
        size = 0 if file.path in written else file.size
        written.add(file.path)
        out.write(cpio.header(inodes[file.path], member.path, file.mode, size=size, links=links, owner=file.owner))
        contents.seek(file.start)
        out.write(contents.read(size) + cpio.aligned(size))
    out.write(cpio.header(0, cpio.TRAILER, 0, size=0))


def _described(arch: str, members: Sequence[Member], missing: tuple[str, ...], archive: Path) -> Image:
    pages = sum(-(-m.size // _PAGE) for m in members if stat.S_ISREG(m.mode))
    with archive.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Image(
        arch=arch, sha256=sha256, size_bytes=archive.stat().st_size, files=len(members),
        resident_bytes=pages * _PAGE + len(members) * _INODE_BYTES, missing=missing,
    )  # fmt: skip
