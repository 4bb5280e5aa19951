# SPDX-License-Identifier: GPL-2.0-only
"""Small things with the shape of kernels, modules and packages; every byte is made here."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from kassay.effects.files import sha256_file
from kassay.model.progress import Progress
from kassay.supply.archive.index import Package
from tests.images import debs

COMPILER = "gcc-14 (Fake 14.2.0-19) 14.2.0, GNU ld (GNU Binutils) 2.44"
_LINK_ADDRESS = 0xFFFFFFFF81000000


def banner(release: str) -> bytes:
    return f"Linux version {release} (someone@somewhere) ({COMPILER}) #1 SMP Sat Nov 21 2026\n\0".encode()


def vmlinux(release: str = "6.99.1-fake", *, machine: int = 62, pvh: bool = True, body: bytes = b"") -> bytes:
    """An ELF64 with one loaded and one note segment."""
    note = struct.pack("<III", 4, 8, 18 if pvh else 6) + b"Xen\0" + bytes(8)
    content = banner(release) + body
    start = 64 + 2 * 56 + len(note)
    content = bytes(-start % 16) + content
    end = start + len(content)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, _LINK_ADDRESS, 0, end, end, 16)
    notes = struct.pack("<IIQQQQQQ", 4, 4, 64 + 2 * 56, 0, 0, len(note), len(note), 4)
    return header + load + notes + note + content


def arm64_image(release: str = "6.99.1-fake", body: bytes = b"") -> bytes:
    """A flat Image: magic at 56."""
    return bytes(56) + b"ARM\x64" + bytes(4) + banner(release) + body


def bzimage(payload: bytes, *, protocol: int = 0x20F, sectors: int = 4) -> bytes:
    """A bzImage around an already compressed payload."""
    setup = bytearray((sectors + 1) * 512)
    setup[0x1F1] = sectors
    setup[0x1FE:0x200] = b"\x55\xaa"
    setup[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", setup, 0x206, protocol)
    struct.pack_into("<II", setup, 0x248, 16, len(payload))
    return bytes(setup) + bytes(16) + payload + bytes(32)


def gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def module(depends: str, *, strings: Sequence[str] = ()) -> bytes:
    """A relocatable ELF with a .modinfo section only."""
    info = b"".join(f"{text}\0".encode() for text in (f"depends={depends}", "license=GPL", *strings))
    names = b"\0.modinfo\0.shstrtab\0"
    at = 64 + len(info) + len(names)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, at, 0, 64, 0, 0, 64, 3, 2)
    rows = [(0, 0, 0, 0), (1, 1, 64, len(info)), (10, 3, 64 + len(info), len(names))]
    table = b"".join(
        struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, size, 0, 0, 1, 0) for name, kind, at, size in rows
    )
    return header + info + names + table


def deb(directory: Path, name: str, version: str, files: Mapping[str, bytes]) -> Path:
    """A package, compressed by gzip."""
    out = directory / f"{name}.{version}.deb"
    parts = [debs.Part(f"./{path}", data) for path, data in files.items()]
    out.write_bytes(debs.archive(_control(name, version), parts, suffix=".gz"))
    return out


def _control(name: str, version: str) -> bytes:
    return f"Package: {name}\nVersion: {version}\nArchitecture: amd64\nMaintainer: a <a@b>\nDescription: x\n".encode()


def listed(file: Path, name: str, version: str, *, flavour: str = "cloud-amd64") -> Package:
    """The index's entry for a package that deb() made; its size is given as that of a real kernel."""
    _, kind, release = name.split("-", 2)
    return Package(name=name, kind=kind, release=release, flavour=flavour, version=version, suite="fake",
                   uri=f"fake:{file}", size_bytes=30 << 20, sha256=sha256_file(file))  # fmt: skip


class Told(list[Progress]):
    """A Tell that remembers."""

    def __call__(self, progress: Progress) -> None:
        self.append(msgspec.structs.replace(progress))

    @property
    def texts(self) -> str:
        return " | ".join(p.text for p in self)
