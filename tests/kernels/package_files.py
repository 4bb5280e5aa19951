# SPDX-License-Identifier: GPL-2.0-only
"""Packages as rpmbuild and makepkg write them, made here, as these programs are on few hosts."""

import hashlib
import io
import lzma
import struct
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import zstandard

from tests.kernels.fakes import gzip

PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "none": bytes,
}
Files = Mapping[str, bytes]


def rpm(directory: Path, name: str, files: Files, *, packer: str = "zstd", linked: tuple[str, ...] = ()) -> Path:
    """A package NAME-6.99.1-1.rpm. linked: further paths of the last file, as hard links."""
    payload = PACKERS[packer](_cpio(files, linked))
    texts = {1000: name, 1001: "6.99.1", 1002: "1", 1124: "cpio", 5092: hashlib.sha256(payload).hexdigest()}
    lead = b"\xed\xab\xee\xdb\x03\0" + bytes(90)
    signature = _header({1000: "x"}, {})
    out = directory / f"{name}-6.99.1-1.rpm"
    out.write_bytes(lead + signature + bytes(-(96 + len(signature)) % 8) + _header(texts, {5093: 8}) + payload)
    return out


def pacman(directory: Path, name: str, files: Files, *, packer: str = "zstd") -> Path:
    """A package NAME-6.99.1-1.pkg.tar."""
    held = io.BytesIO()
    info = f"# made by a test\npkgname = {name}\npkgver = 6.99.1-1\narch = x86_64\n"
    with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data in {".PKGINFO": info.encode(), **files}.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    out = directory / f"{name}-6.99.1-1.pkg.tar"
    out.write_bytes(PACKERS[packer](held.getvalue()))
    return out


def _header(texts: Mapping[int, str], numbers: Mapping[int, int]) -> bytes:
    """A header of rpm: an index of (tag, type, offset, count), and a store."""
    index, store = b"", b""
    for tag, number in numbers.items():
        index += struct.pack(">IIII", tag, 4, len(store), 1)
        store += struct.pack(">I", number)
    for tag, text in texts.items():
        index += struct.pack(">IIII", tag, 6, len(store), 1)
        store += text.encode() + b"\0"
    return b"\x8e\xad\xe8\x01" + bytes(4) + struct.pack(">II", len(index) // 16, len(store)) + index + store


def _cpio(files: Files, linked: tuple[str, ...]) -> bytes:
    out = _entry(9, "./usr/lib", b"", 0o40755, 2)
    for inode, (path, data) in enumerate(files.items(), 10):
        last = inode == 9 + len(files)
        for other in linked if last else ():
            out += _entry(inode, f"./{other}", b"", 0o100644, 1 + len(linked))
        out += _entry(inode, f"./{path}", data, 0o100644, 1 + len(linked) * last)
    return out + _entry(0, "TRAILER!!!", b"", 0, 1)


def _entry(inode: int, path: str, data: bytes, mode: int, links: int) -> bytes:
    numbers = (inode, mode, 0, 0, links, 0, len(data), 8, 1, 0, 0, len(path) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers) + path.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)
