# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's ring buffer: raw pages of trace_pipe_raw -> the events of each type, in columns.

The layout is the kernel's (include/linux/ring_buffer.h, and its "header_page" and "header_event" under tracefs): a page
begins with the time of its first event and the bytes that are used; each event begins with 5 bits of its kind and 27
bits of time since the event before.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kassay.errors import BadInput

Words = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.uint64]

_PAGE_BYTES = 4096
_HEADER_WORDS = 4
_COMMIT = 0xFFFFF
_MISSED = 1 << 31
_PADDING, _EXTEND, _STAMP = 29, 30, 31
_DELTA_BITS = 27
_STAMP_BITS = (1 << 59) - 1
_FIELD = re.compile(r"\tfield:.*?(\w+)(?:\[\d+\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:[01];")
_WORD = 4


@dataclass(frozen=True, kw_only=True)
class Format:
    """One type of event, as the kernel describes it."""

    id: int
    fields: Mapping[str, tuple[int, int]]
    """Offset and size of each field in bytes."""


def read_format(text: str) -> Format:
    """The file "format" of an event. Raises BadInput for anything else."""
    number = re.search(r"^ID: (\d+)$", text, re.M)
    fields = {name: (int(offset), int(size)) for name, offset, size in _FIELD.findall(text)}
    if number is None or "common_type" not in fields:
        raise BadInput(f"no description of a trace event: {text[:40]!r}", "record again")
    return Format(id=int(number.group(1)), fields=fields)


@dataclass(frozen=True, kw_only=True)
class Events:
    """All events of one CPU, in order."""

    words: Words
    time_ns: Numbers
    """Time of each event on the trace's clock."""
    at: npt.NDArray[np.int64]
    """Index in `words` of the begin of each event."""
    missed: bool
    """True if the kernel marked a page before which it lost events."""

    def of(self, kind: Format) -> npt.NDArray[np.int64]:
        """Numbers of the events of one type."""
        return np.flatnonzero((self.words[self.at] & 0xFFFF) == kind.id)

    def field(self, kind: Format, name: str, chosen: npt.NDArray[np.int64]) -> Numbers:
        """One field of these events, unsigned, at most its first 8 bytes. Raises BadInput when this kernel's event has
        no such field."""
        if name not in kind.fields:
            raise BadInput(f"this kernel's trace event {kind.id} has no field {name}", "record on another kernel")
        offset, size = kind.fields[name]
        size, first, skipped = min(size, 2 * _WORD), offset // _WORD, offset % _WORD
        value = np.zeros(len(chosen), np.uint64)
        for number in range((skipped + size - 1) // _WORD + 1):
            word = self.words[self.at[chosen] + first + number].astype(np.uint64)
            bits = 8 * (_WORD * number - skipped)
            value |= word << np.uint64(bits) if bits >= 0 else word >> np.uint64(-bits)
        return value & np.uint64((1 << 8 * size) - 1)


def read_pages(data: bytes) -> Events:
    """The events of one CPU's pages, oldest first. All pages are read side by side, event by event.

    Raises BadInput for pages that are no ring buffer's.
    """
    if len(data) % _PAGE_BYTES:
        raise BadInput(f"a ring buffer of {len(data)} bytes, which are no whole pages", "record again")
    words = np.frombuffer(data, "<u4").astype(np.uint32)
    first = np.arange(0, len(words), _PAGE_BYTES // _WORD)
    commit = words[first + 2]
    used = (commit & _COMMIT) // _WORD
    if len(first) and int(used.max()) + _HEADER_WORDS > _PAGE_BYTES // _WORD:
        raise BadInput("a page of a ring buffer that says it holds more than a page", "record again")
    ends = first + _HEADER_WORDS + used
    now = words[first].astype(np.uint64) | words[first + 1].astype(np.uint64) << np.uint64(32)
    starts, times = _walk(words, first + _HEADER_WORDS, ends, now)
    order = np.argsort(starts, kind="stable")
    return Events(words=words, time_ns=times[order], at=starts[order], missed=bool((commit & _MISSED).any()))


def _walk(words: Words, at: npt.NDArray[np.int64], ends: npt.NDArray[np.int64],
          now: Numbers) -> tuple[npt.NDArray[np.int64], Numbers]:  # fmt: skip
    """(where the payload of each event begins, its time); `at` and `now` begin with each page's."""
    starts, times = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    live = np.flatnonzero(at < ends)
    while live.size:
        index = at[live]
        head = words[index]
        kind, delta = head & 31, (head >> 5).astype(np.uint64)
        following = words[np.minimum(index + 1, len(words) - 1)]
        long = delta | following.astype(np.uint64) << np.uint64(_DELTA_BITS)
        stamp, data = kind == _STAMP, kind < _PADDING
        before = now[live]
        since = np.where(kind == _EXTEND, long, delta)
        # The five highest bits do not fit into a time stamp; they are copied from the time before.
        absolute = long & np.uint64(_STAMP_BITS) | before & ~np.uint64(_STAMP_BITS)
        now[live] = np.where(stamp, absolute, before + since)
        sized = (kind == 0) | (kind == _PADDING)
        step = np.where(sized, following // _WORD + 1, np.where(data, kind + 1, 2))
        nothing_more = (kind == _PADDING) & (delta == 0)
        starts.append((index + 1 + (kind == 0))[data])
        times.append(now[live][data])
        at[live] = np.where(nothing_more, ends[live], index + step)
        live = live[at[live] < ends[live]]
    if (at > ends).any():
        raise BadInput("an event of a ring buffer goes on behind its page", "record again")
    return np.concatenate(starts), np.concatenate(times)
