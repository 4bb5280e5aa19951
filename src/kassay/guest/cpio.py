# SPDX-License-Identifier: GPL-2.0-only
"""The archive an initramfs is made of (cpio "newc"), the same to the byte for the same entries.

The format is the kernel's Documentation/driver-api/early-userspace/buffer-format.rst. Device nodes are
mere headers, so writing them needs no privilege.
"""

import stat
from collections.abc import Iterable

from kassay.model.records import Record

MAGIC = "070701"
TRAILER = "TRAILER!!!"


class Entry(Record, frozen=True, kw_only=True):
    """One member. path: relative, without "./". mode: type and permission bits. device: (major, minor) of a node."""

    path: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def directory(path: str) -> Entry:
    """A directory, 0755."""
    return Entry(path=path, mode=stat.S_IFDIR | 0o755)


def file(path: str, data: bytes, *, executable: bool = False) -> Entry:
    """A regular file, 0755 or 0644."""
    return Entry(path=path, mode=stat.S_IFREG | (0o755 if executable else 0o644), data=data)


def character_device(path: str, major: int, minor: int) -> Entry:
    """A character device node, 0600."""
    return Entry(path=path, mode=stat.S_IFCHR | 0o600, device=(major, minor))


def archive(entries: Iterable[Entry]) -> bytes:
    """The whole archive: inode numbers in order, owner root, time 0, trailer, no padding behind it."""
    made = [_member(number, entry) for number, entry in enumerate(entries, start=1)]
    made.append(_member(0, Entry(path=TRAILER, mode=0)))
    return b"".join(made)


def _member(inode: int, entry: Entry) -> bytes:
    name = entry.path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    major, minor = entry.device
    numbers = (inode, entry.mode, 0, 0, links, 0, len(entry.data), 0, 0, major, minor, len(name), 0)
    header = (MAGIC + "".join(f"{number:08x}" for number in numbers)).encode()
    return _aligned(header + name) + _aligned(entry.data)


def _aligned(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
