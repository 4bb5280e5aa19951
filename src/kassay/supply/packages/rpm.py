# SPDX-License-Identifier: GPL-2.0-only
"""rpm packages: a lead, two headers of tagged values, and a compressed cpio archive, rpm-format(5).

Not PyPI's rpmfile: it checks no digest, and unpacks the whole archive again for every file that is read out of order.
"""

import hashlib
import stat
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from kassay.supply.packages.contents import FileParts, Package
from kassay.supply.packages.unpacking import Part, unpacked, whole

MAGIC = b"\xed\xab\xee\xdb"
_LEAD = 96
_HEADER = b"\x8e\xad\xe8"
_NAME, _VERSION, _RELEASE, _PAYLOAD_FORMAT, _PAYLOAD_DIGEST, _PAYLOAD_ALGORITHM = 1000, 1001, 1002, 1124, 5092, 5093
_ALGORITHMS = {8: "sha256", 9: "sha384", 10: "sha512"}
_INTEGER, _TEXTS = 4, (6, 8, 9)
_LARGEST_HEADER = 256 << 20
"""Bytes. The limit of rpm itself; a damaged length must not ask for gigabytes of memory."""
_LONGEST_PATH = 4096
_CPIO = {b"070701", b"070702"}
_ENTRY = 110


@contextmanager
def opened(path: Path) -> Iterator[Package]:
    """The package with its files. Raises BadInput for a file that is no whole package."""
    with ExitStack() as stack, path.open("rb") as file:
        with whole(path, "rpm package"):
            if file.read(4) != MAGIC:
                raise ValueError("it does not start as a package does")
            end, _ = _header(file, _LEAD)
            start, tags = _header(file, end + -end % 8)
            if tags.get(_PAYLOAD_FORMAT, "cpio") != "cpio":
                raise ValueError(f"its files are in the format {tags[_PAYLOAD_FORMAT]}")
            _check_digest(file, start, tags)
            plain = stack.enter_context(unpacked(Part(file, start, path.stat().st_size - start)))
            contents = FileParts(plain, _places(plain))
            package = Package(str(tags[_NAME]), f"{tags[_VERSION]}-{tags[_RELEASE]}", contents)
        yield package


def _header(file: IO[bytes], at: int) -> tuple[int, dict[int, int | str]]:
    """The end of a header that starts at `at`, and its first value of each tag that is a number or a text."""
    file.seek(at)
    preamble = file.read(16)
    if not preamble.startswith(_HEADER):
        raise ValueError(f"it has no header at byte {at}")
    entries, size = struct.unpack(">8xII", preamble)
    if 16 * entries + size > _LARGEST_HEADER:
        raise ValueError(f"its header at byte {at} has {16 * entries + size} bytes")
    index, store = file.read(16 * entries), file.read(size)
    values: dict[int, int | str] = {}
    for tag, kind, offset, _ in struct.iter_unpack(">IIII", index):
        if kind == _INTEGER:
            (values[tag],) = struct.unpack_from(">I", store, offset)
        elif kind in _TEXTS:
            values[tag] = store[offset : store.index(b"\0", offset)].decode("utf-8", "replace")
    return at + 16 + 16 * entries + size, values


def _check_digest(file: IO[bytes], start: int, tags: dict[int, int | str]) -> None:
    """Compares the archive with the digest in the header; packages have one since rpm 4.14."""
    algorithm = _ALGORITHMS.get(int(tags.get(_PAYLOAD_ALGORITHM, 0)))
    if algorithm is None or _PAYLOAD_DIGEST not in tags:
        return
    file.seek(start)
    digest = hashlib.new(algorithm)
    while data := file.read(1 << 20):
        digest.update(data)
    if digest.hexdigest() != tags[_PAYLOAD_DIGEST]:
        raise ValueError(f"the {algorithm} of its files is not the one in its header")


def _places(plain: IO[bytes]) -> dict[str, tuple[int, int]]:
    """Offset and length of each regular file of a cpio archive (newc), by path. The last of hard links has the data."""
    places: dict[str, tuple[int, int]] = {}
    linked: dict[tuple[int, ...], list[str]] = {}
    at = 0
    while True:
        plain.seek(at)
        entry = plain.read(_ENTRY)
        if entry[:6] not in _CPIO:
            raise ValueError(f"its cpio archive has no entry at byte {at}")
        inode, mode, _, _, links, _, size, major, minor, _, _, name_size = (
            int(entry[i : i + 8], 16) for i in range(6, 102, 8)
        )
        if name_size > _LONGEST_PATH:
            raise ValueError(f"its cpio archive has a path of {name_size} bytes")
        path = plain.read(name_size)[:-1].decode("utf-8", "replace").removeprefix("./").lstrip("/")
        if path == "TRAILER!!!":
            return places
        start = at + _ENTRY + name_size
        start += -start % 4
        if stat.S_ISREG(mode):
            names = linked.setdefault((inode, major, minor), []) if links > 1 else []
            names.append(path)
            places |= dict.fromkeys(names if size else [path], (start, size))
        at = start + size + -size % 4
