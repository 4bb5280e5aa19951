# SPDX-License-Identifier: GPL-2.0-only
"""The archive an initramfs is made of (cpio "newc"), the same to the byte for the same entries.

The format is the kernel's Documentation/driver-api/early-userspace/buffer-format.rst. Device nodes
are only headers in it, so writing them needs no privilege.
"""

import stat
from collections.abc import Iterable

from kassay.model.records import Record

MAGIC = "070701"
TRAILER = "TRAILER!!!"


class Entry(Record, frozen=True, kw_only=True):
    """One member."""

    path: str
    """Relative path, without "./"."""
    mode: int
    """Type and permission bits."""
    data: bytes = b""
    owner: tuple[int, int] = (0, 0)
    """User and group."""
    device: tuple[int, int] = (0, 0)
    """Numbers of a device node: (major, minor)."""


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
    """The whole archive: inode numbers in order, time 0, trailer, no padding behind it."""
    members = [_member(number, entry) for number, entry in enumerate(entries, start=1)]
    members.append(_member(0, Entry(path=TRAILER, mode=0)))
    return b"".join(members)


def header(inode: int, path: str, mode: int, *, size: int, links: int = 1, owner: tuple[int, int] = (0, 0),
           device: tuple[int, int] = (0, 0)) -> bytes:  # fmt: skip
    """Header of a member, which precedes its content. inode, links: names of one file have the same inode and their
    number, and the first of them the content. The content is followed by aligned() zeros."""
    name = path.encode() + b"\0"
    numbers = (inode, mode, *owner, links, 0, size, 0, 0, *device, len(name), 0)
    text = (MAGIC + "".join(f"{number:08x}" for number in numbers)).encode()
    return text + name + aligned(len(text) + len(name))


def aligned(size: int) -> bytes:
    """Zeros up to the next multiple of four."""
    return b"\0" * (-size % 4)


def _member(inode: int, entry: Entry) -> bytes:
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    before = header(inode, entry.path, entry.mode, size=len(entry.data), links=links, owner=entry.owner,
                    device=entry.device)  # fmt: skip
    return before + entry.data + aligned(len(entry.data))
