# SPDX-License-Identifier: GPL-2.0-only
"""Makes a worker lie, where this directory is in PYTHONPATH and KASSAY_LIE says how.

garbage: it answers with bytes that are no result. other: with the result of the first run that it made, whatever it is
asked. content: what it is sent arrives damaged. digits: it counts one instruction more than it executed.
"""

import os
import re
import zlib

from msgspec import structs

from kassay.tools.cluster import parcel, store, work

_TRUE_RUN, _TRUE_KEEP = work.run, store.keep
_FIRST: list[bytes] = []


def _garbage(data: bytes) -> bytes:
    return b"\xc1" * 1000


def _other(data: bytes) -> bytes:
    if not _FIRST:
        _FIRST.append(_TRUE_RUN(data))
        return _FIRST[0]
    return _FIRST[0]


def _damaged(sha256: str, sender: str, offset: int, part: bytes, size: int) -> None:
    _TRUE_KEEP(sha256, sender, offset, bytes((part[0] ^ 1,)) + part[1:], size)


def _digits(data: bytes) -> bytes:
    made = parcel.delivery_from(_TRUE_RUN(data), data)
    if made.ended is None:
        return parcel.to_bytes(made)
    ended = structs.replace(made.ended, stream=_one_more(made.ended.stream))
    return parcel.to_bytes(structs.replace(made, ended=ended))


def _one_more(stream: bytes) -> bytes:
    """With the last tick of the last round one later, and a right checksum."""

    def lied(found: "re.Match[bytes]") -> bytes:
        rows = found[2].rstrip(b"\n").rpartition(b" ")
        payload = rows[0] + rows[1] + b"%d\n" % (int(rows[2]) + 1)
        head = b"rounds - %d" % len(payload)
        return b"KASSAY %s %08x\n%s\n" % (head, zlib.crc32(head + b"\n" + payload), payload)

    return re.sub(rb"KASSAY rounds - (\d+) [0-9a-f]{8}\n([0-9 \n]+\n)\n", lied, stream)


match os.environ.get("KASSAY_LIE"):
    case "garbage":
        work.run = _garbage
    case "other":
        work.run = _other
    case "digits":
        work.run = _digits
    case "content":
        store.keep = _damaged
