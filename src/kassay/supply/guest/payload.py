# SPDX-License-Identifier: GPL-2.0-only
"""Files behind the end of a program: what the runner of a user's program carries, read in C by guest/payload.c.

Each is a line "MODE SIZE NAME" (octal, decimal) and its bytes; then 24 bytes: the offset of the first line and the
number of files, 8 bytes each, little endian, and a word that names the format.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple

_MAGIC = b"KASSAYF1"
_END = struct.Struct("<QQ8s")


class Packed(NamedTuple):
    """One file."""

    name: str
    """Plain relative path."""
    data: bytes
    mode: int = 0o644


def pack(program: bytes, files: Sequence[Packed]) -> bytes:
    """The program with the files behind it; the same arguments give the same bytes."""
    body = b"".join(f"{file.mode:o} {len(file.data)} {file.name}\n".encode() + file.data for file in files)
    return program + body + _END.pack(len(program), len(files), _MAGIC)


def unpack(data: bytes) -> dict[str, Packed]:
    """The files of what pack() made, by name; none of another program. Raises ValueError when it is damaged."""
    if len(data) < _END.size or not data.endswith(_MAGIC):
        return {}
    at, count, _ = _END.unpack(data[-_END.size :])
    files = {}
    for _ in range(count):
        end = data.index(b"\n", at)
        mode, size, name = data[at:end].decode().split(" ", 2)
        at = end + 1 + int(size)
        files[name] = Packed(name, data[end + 1 : at], int(mode, 8))
    return files
