# SPDX-License-Identifier: GPL-2.0-only
"""A page trace: page events and page lists of one machine (docs/how-to/pcp.md).

kassay-pages/1 has the page events of one guest, in order of time. kassay pcp record writes it, and kassay pcp replay
and the simulator read it. A file whose name ends with .zst is compressed by zstd. The header is text, and ends with
an empty line:

  kassay-pages/1: first line
  kernel, release, arch, workload: reference; the kernel's own words; the workload with its settings
  page_bytes, cpus, memory_bytes, span_ns: of the machine; guest time from begin to end
  lost N: events for which the guest's ring buffers had no room; a trace with lost events is not replayed
  bulk_seen 1: or 0: this kernel cannot trace allocations in bulk, so they are missing
  batch_scale_max N, high_fraction N: CONFIG_PCP_BATCH_SCALE_MAX; vm.percpu_pagelist_high_fraction
  events N: how many records follow the header
  zone number= node= name= start_pfn= spanned= managed= free= min= low= high=: each zone with pages; watermarks, and
      free pages at the begin
  state cpu= zone= count= high= high_min= high_max= batch= told=: the lists of each CPU in each zone at the begin;
      told=0: the kernel does not report high_min and high_max (before 6.13), so its formula gives them
  sample NS CPU ZONE COUNT HIGH HIGH_MIN HIGH_MAX BATCH: the lists of a CPU at a time, from /proc/zoneinfo; -1 for
      values that the kernel does not report

Then come records of 16 bytes, little endian: u64 time since the begin in ns, u8 kind * 16 + order, u8 migrate type,
u16 CPU, u32 page frame.

  0 a block was allocated: mm_page_alloc; in bulk: the value that alloc_pages_bulk_noprof() returned
      (__alloc_pages_bulk() before 6.10)
  1 a block was freed: mm_page_free_batched where there is one, else mm_page_free
  2 a block went from the zone to a list, or past it to an allocation: mm_page_alloc_zone_locked, or
      mm_page_alloc_extfrag alone
  3 a block went from a list to the zone; 128 is added to its migrate type when the vmstat worker did it:
      mm_page_pcpu_drain
  4 the vmstat worker runs on this CPU: workqueue_execute_start of vmstat_update
  5 order 1: reclaim begins in the zone of this page; order 0: it ends: mm_vmscan_kswapd_wake, mm_vmscan_kswapd_sleep

- Kinds 0, 1, 4 and 5 drive a model. Kinds 2 and 3 are the guest's own: the model is compared with them, and never
  given them.
- The kernel reports a page that is freed in a batch twice: when it is made ready, and when it goes to a list. Only
  the latter is a free.
- The kernel does not report the pages of an allocation in bulk. kassay takes pages that are freed without having been
  allocated, last come first, from the lists of this CPU. A page that is never freed gets a number that no event has.
- No event of a free has the migrate type of the page's block. It is that of the page's allocation, else that of the
  first allocation in the same block of 512 pages, else movable.
- A page that was allocated before the trace begins is freed all the same.
- The clock is CLOCK_MONOTONIC of the guest, which executes one instruction in a nanosecond. Recording an event costs
  the guest instructions of its own.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from kassay.effects.files import read_errors, write_atomic
from kassay.errors import BadInput
from kassay.model.records import R, Record, from_plain

SCHEMA = "kassay-pages/1"
BY_WORKER = 0x80
"""In `migratetype` of a drain: the vmstat worker did it."""
_ZSTD = b"\x28\xb5\x2f\xfd"


class Kind(IntEnum):
    """Kind of an event: the four high bits of `what`. The low ones are the order."""

    ALLOC = 0
    FREE = 1
    REFILL = 2
    DRAIN = 3
    WORKER = 4
    RECLAIM = 5


EVENT = np.dtype([("time_ns", "<u8"), ("what", "u1"), ("migratetype", "u1"), ("cpu", "<u2"), ("pfn", "<u4")])
"""One event. Its time is that since the begin of the trace."""
SAMPLE = np.dtype(
    [("time_ns", "<u8"), ("cpu", "<u2"), ("zone", "<u2")]
    + [(name, "<i4") for name in ("count", "high", "high_min", "high_max", "batch")]
)
"""The page lists of one CPU in one zone at one moment, in pages. high_min and high_max are -1 where the kernel does not
report them."""
Array = npt.NDArray[np.void]


class Zone(Record, frozen=True, kw_only=True):
    """A zone of memory, in pages."""

    number: int
    """Number by which samples name it."""
    node: int
    name: str
    start_pfn: int
    spanned: int
    managed: int
    free: int
    """Free pages at the begin."""
    min: int
    low: int
    high: int


class ListState(Record, frozen=True, kw_only=True):
    """The page lists of one CPU in one zone at the begin of a trace, in pages."""

    cpu: int
    zone: int
    count: int
    high: int
    high_min: int
    high_max: int
    batch: int
    told: bool
    """True if the kernel reports high_min and high_max. Otherwise they are computed by the formula of the kernel."""


class Origin(Record, frozen=True, kw_only=True):
    """Origin of a trace: the kernel, the workload and the machine."""

    kernel: str
    """Reference of the kernel."""
    release: str
    """Release, as the kernel names itself."""
    arch: str
    workload: str
    """Workload with its settings."""
    page_bytes: int
    cpus: int
    memory_bytes: int
    span_ns: int
    """Duration of the trace in ns."""
    lost: int
    """Events that the guest had no room for."""
    bulk_seen: bool
    """True if the trace has allocations in bulk."""
    batch_scale_max: int
    """CONFIG_PCP_BATCH_SCALE_MAX; 5 for a kernel without this option, as in its source."""
    high_fraction: int


@dataclass(frozen=True, kw_only=True)
class PageTrace:
    """A recorded trace of page events."""

    origin: Origin
    zones: tuple[Zone, ...]
    states: tuple[ListState, ...]
    events: Array
    """Dtype EVENT, in order of time."""
    samples: Array
    """Dtype SAMPLE, in order of time."""

    @property
    def kinds(self) -> npt.NDArray[np.uint8]:
        """The Kind of each event."""
        return (self.events["what"] >> 4).astype(np.uint8)

    @property
    def main_zone(self) -> Zone:
        """The zone with the most pages, whose lists a model is about."""
        return max(self.zones, key=lambda zone: zone.managed)


class PagesError(BadInput):
    """A page trace that cannot be used."""

    def __init__(self, problem: str, remedy: str = "record again") -> None:
        super().__init__(f"page trace: {problem}", remedy)


def to_bytes(trace: PageTrace) -> bytes:
    """The file, not compressed."""
    lines = [SCHEMA]
    for name in Origin.__struct_fields__:
        lines.append(f"{name} {_word(getattr(trace.origin, name))}")
    lines.append(f"events {len(trace.events)}")
    lines += [f"zone {_fields(zone)}" for zone in trace.zones]
    lines += [f"state {_fields(state)}" for state in trace.states]
    lines += [" ".join(map(str, ("sample", *sample))) for sample in trace.samples.tolist()]
    return "\n".join([*lines, "", ""]).encode() + trace.events.tobytes()


def write_pages(path: Path, trace: PageTrace) -> None:
    """Writes the file, compressed when its name ends with ".zst"."""
    data = to_bytes(trace)
    if path.suffix == ".zst":
        data = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(data)
    write_atomic(path, data)


def read_pages(path: Path) -> PageTrace:
    """Reads what write_pages() wrote. Raises BadInput that says what is wrong with the file."""
    with read_errors(path, "give a file that kassay pcp record wrote"):
        data = path.read_bytes()
    try:
        return from_bytes(data)
    except PagesError as error:
        raise BadInput(f"{path}: {error.what}", error.remedy) from error


def from_bytes(data: bytes) -> PageTrace:
    """Raises PagesError for what is no whole trace, or contradicts itself."""
    if data.startswith(_ZSTD):
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            data = frame.decompress(data)
        except zstandard.ZstdError as error:
            raise PagesError(f"cannot be decompressed ({error})") from error
        if not frame.eof:
            raise PagesError("its end is missing")
    end = data.find(b"\n\n")
    if not data.startswith(f"{SCHEMA}\n".encode()) or end < 0:
        raise PagesError(f"not the beginning of one: {data[:40]!r}", "give a file that kassay pcp record wrote")
    header = _Header(data[:end].decode("utf-8", "replace"))
    count, body = header.number("events"), data[end + 2 :]
    if len(body) != count * EVENT.itemsize:
        raise PagesError(f"{count} events were announced, and {len(body)} bytes are there")
    trace = PageTrace(
        origin=header.origin(),
        zones=header.records("zone", Zone),
        states=header.records("state", ListState),
        events=np.frombuffer(body, EVENT),
        samples=header.samples(),
    )
    _check(trace)
    return trace


def _check(trace: PageTrace) -> None:
    if not trace.zones:
        raise PagesError("it names no zone")
    _check_places(trace, "state", ((state.cpu, state.zone) for state in trace.states))
    _check_places(trace, "sample", trace.samples[["cpu", "zone"]].tolist())
    times, cpus = trace.events["time_ns"], trace.events["cpu"]
    if len(times) and (np.diff(times.astype(np.int64)) < 0).any():
        raise PagesError("its events are not in order of time")
    if len(cpus) and int(cpus.max()) >= trace.origin.cpus:
        raise PagesError(f"an event of CPU {int(cpus.max())}, and the machine has {trace.origin.cpus}")
    if len(times) and int(trace.kinds.max()) > max(Kind):
        raise PagesError(f"an event of the unknown kind {int(trace.kinds.max())}", "use a later kassay")


def _check_places(trace: PageTrace, word: str, places: Iterable[tuple[int, int]]) -> None:
    zones = {zone.number for zone in trace.zones}
    for cpu, zone in set(places):
        if not 0 <= cpu < trace.origin.cpus:
            raise PagesError(f"a {word} of CPU {cpu}, and the machine has {trace.origin.cpus}")
        if zone not in zones:
            raise PagesError(f"a {word} of zone {zone}, which it does not describe")


class _Header:
    """The lines of the header, by their first words."""

    def __init__(self, text: str) -> None:
        self._lines = [line.partition(" ")[::2] for line in text.splitlines()[1:]]
        self._first = dict(reversed(self._lines))

    def number(self, name: str) -> int:
        """Raises PagesError when it is missing or no number."""
        text = self._first.get(name, "")
        if not re.fullmatch(r"\d{1,18}", text):
            raise PagesError(f"its header has no line {name!r} with a number")
        return int(text)

    def origin(self) -> Origin:
        """The lines that say where the trace is from."""
        return _record(self._first, Origin)

    def samples(self) -> Array:
        """Raises PagesError for one that is not all numbers."""
        try:
            rows = [tuple(map(int, rest.split())) for first, rest in self._lines if first == "sample"]
            return np.array(rows, SAMPLE)
        except (ValueError, TypeError, OverflowError) as error:
            raise PagesError(f"a sample in its header: {error}") from error

    def records(self, word: str, kind: type[R]) -> tuple[R, ...]:
        """Every line that begins with the word."""
        rows = (dict(re.findall(r"(\w+)=(\S+)", rest)) for first, rest in self._lines if first == word)
        return tuple(_record(row, kind) for row in rows)


def _record(values: dict[str, str], kind: type[R]) -> R:
    fields = {name: values[name] for name in kind.__struct_fields__ if name in values}  # later versions have more
    try:
        return from_plain(fields, kind, strict=False)
    except msgspec.ValidationError as error:
        raise PagesError(f"its header: {error}") from error


def _word(value: str | int | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _fields(record: Record) -> str:
    return " ".join(f"{name}={_word(getattr(record, name))}" for name in record.__struct_fields__)
