# SPDX-License-Identifier: GPL-2.0-only
"""A naive writer of the kernel's ring buffer, for tests: events with their times -> raw pages."""

import struct
from collections.abc import Iterable

PAGE_BYTES, ROOM = 4096, 4080
_MOST_DELTA = (1 << 27) - 1


def event(kind: int, payload: bytes = b"", pid: int = 1) -> bytes:
    """An event's bytes: the common fields, then its own."""
    return struct.pack("<HBBi", kind, 0, 0, pid) + payload


def pages(events: Iterable[tuple[int, bytes]], missed: bool = False) -> bytes:
    """events: (time, what event() made), in order of time."""
    made, body, begin, now = [], b"", 0, 0
    for time, data in events:
        record = _record(time - now, data) if body else _record(0, data)
        if len(body) + len(record) > ROOM:
            made.append(_page(begin, body, missed))
            body, record = b"", _record(0, data)
        begin = time if not body else begin
        body += record
        now = time
    return b"".join([*made, _page(begin, body, missed)])


def _record(delta: int, data: bytes) -> bytes:
    extended = b""
    if delta > _MOST_DELTA:
        extended = struct.pack("<II", 30 | (delta & _MOST_DELTA) << 5, delta >> 27)
        delta = 0
    data += b"\0" * (-len(data) % 4)
    if len(data) > 28 * 4:
        return extended + struct.pack("<II", delta << 5, len(data) + 4) + data
    return extended + struct.pack("<I", len(data) // 4 | delta << 5) + data


def _page(begin: int, body: bytes, missed: bool) -> bytes:
    return struct.pack("<QQ", begin, len(body) | missed << 31) + body.ljust(ROOM, b"\0")
