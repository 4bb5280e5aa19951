# SPDX-License-Identifier: GPL-2.0-only
"""Made-up packages with members of every kind, and an independent reading of what an image holds."""

import gzip
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import sha256_file
from kassay.model.packages import ArchivePackage

_CONTROL = "Package: {name}\nVersion: 1:1~x\nArchitecture: amd64\nMaintainer: a <a@b>\nDescription: x\n"


class Part(NamedTuple):
    """A member of a package. target: of a symbolic link, or with hard=True the other name of a hard link."""

    path: str
    data: bytes = b""
    mode: int = 0o644
    target: str = ""
    hard: bool = False
    user: int = 0
    directory: bool = False


def deb(folder: Path, name: str, parts: Sequence[Part]) -> tuple[ArchivePackage, Path]:
    """A package as dpkg-deb reads it: an ar archive of two tar archives; and its pinned record."""
    file = folder / f"{name}.deb"
    file.write_bytes(archive(_CONTROL.format(name=name).encode(), parts))
    package = ArchivePackage(name=name, version="1:1~x", sha256=sha256_file(file), suite="fake",
                             pool=f"pool/{name}.deb")  # fmt: skip
    return package, file


def archive(control: bytes, parts: Sequence[Part], *, suffix: str = "") -> bytes:
    """A package's bytes. control: its file of that name. suffix: ".gz" compresses both tar archives."""
    tars = [("control.tar", _tar([Part("./control", control)])), ("data.tar", _tar(parts))]
    packed = [(f"{title}{suffix}", gzip.compress(data, 1) if suffix else data) for title, data in tars]
    return b"!<arch>\n" + b"".join(
        f"{title:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
        for title, data in [("debian-binary", b"2.0\n"), *packed]
    )


def _tar(parts: Sequence[Part]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for part in parts:
            info = tarfile.TarInfo(part.path)
            info.mode, info.uid, info.gid, info.size = part.mode, part.user, part.user, len(part.data)
            info.linkname = part.target
            if part.target:
                info.type = tarfile.LNKTYPE if part.hard else tarfile.SYMTYPE
            elif part.directory:
                info.type = tarfile.DIRTYPE
            tar.addfile(info, io.BytesIO(part.data))
    return out.getvalue()


class Found(NamedTuple):
    """A member of a cpio archive."""

    inode: int
    mode: int
    user: int
    links: int
    data: bytes


def read(archive: bytes) -> dict[str, Found]:
    """Members by path in their order; every field at its own offset."""
    found: dict[str, Found] = {}
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701" and at % 4 == 0
        field = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = archive[at + 110 : at + 110 + field[11] - 1].decode()
        start = (at + 110 + field[11] + 3) & ~3
        if name == "TRAILER!!!":
            return found
        found[name] = Found(field[0], field[1], field[2], field[4], archive[start : start + field[6]])
        at = (start + field[6] + 3) & ~3
