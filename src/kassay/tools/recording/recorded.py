# SPDX-License-Identifier: GPL-2.0-only
"""Output of a guest's recorder (guest/recorder) -> a page trace.

The kernel logs two events of a page that is freed in a batch: mm_page_free when the page is prepared, and
mm_page_free_batched when it goes to a list. Only the latter is a free. A page that was taken from a block of another
migrate type may have two events as well (mm_page_alloc_extfrag and mm_page_alloc_zone_locked). Pages that are allocated
in bulk have no event; their number is what the allocator returned.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kassay.model.records import grouped
from kassay.supply.guest.protocol import Frame, StreamError, frames
from kassay.tools.recording.bulk import UNKNOWN, with_bulk_pages
from kassay.tools.recording.pages import BY_WORKER, EVENT, SAMPLE, Array, Kind, ListState, Origin, PagesError, PageTrace
from kassay.tools.recording.ring import Events, Format, read_format, read_pages
from kassay.tools.recording.zoneinfo import list_state, read_zoneinfo

_NO_PAGE = np.uint64((1 << 64) - 1)
_LOST = re.compile(r"^(?:overrun|commit overrun|dropped events): (\d+)$", re.M)
_BLOCK_ORDER = 9
_MOVABLE = 1
_TRACING = "/sys/kernel/tracing/"
Index = npt.NDArray[np.int64]


class About(NamedTuple):
    """Facts about a run that the recorder does not know. Fields as in Origin."""

    kernel: str
    release: str
    arch: str
    workload: str
    page_bytes: int
    memory_bytes: int
    batch_scale_max: int


class Written(NamedTuple):
    """The recorder's frames by kind."""

    formats: Mapping[str, Format]
    texts: Mapping[str, str]
    pages: Mapping[int, bytes]
    samples: tuple[tuple[int, str], ...]
    ended_ns: int


def page_trace(data: bytes, about: About) -> PageTrace:
    """Raises PagesError, with the recorder's own reason where it gave one."""
    written = read_written(data)
    try:
        return _page_trace(written, about)
    except (LookupError, ValueError, OverflowError, MemoryError) as error:
        raise PagesError(f"the recording is not whole ({type(error).__name__}: {error})") from error


def _page_trace(written: Written, about: About) -> PageTrace:
    # Two samples are taken before the workload. The trace begins with the second: it has all events after that one.
    zones = read_zoneinfo(written.samples[1][1])
    begin = written.samples[1][0]
    fraction = int(written.texts.get("setting:/proc/sys/vm/percpu_pagelist_high_fraction", "0"))
    parts = [_events_of(cpu, read_pages(raw), written.formats) for cpu, raw in sorted(written.pages.items())]
    events = np.concatenate([part for part, _ in parts]) if parts else np.empty(0, EVENT)
    events = _finished(events[np.argsort(events["time_ns"], kind="stable")])
    events = with_bulk_pages(events[events["time_ns"] >= begin], [zone.zone for zone in zones])
    events["time_ns"] -= np.uint64(begin)
    main = max((zone.zone for zone in zones), key=lambda zone: zone.managed)
    events["pfn"][events["what"] >> 4 == Kind.RECLAIM] = main.start_pfn
    origin = Origin(
        **about._asdict(), cpus=len(written.pages), span_ns=written.ended_ns - begin,
        lost=lost_of(written) + sum(missed for _, missed in parts), bulk_seen="kassay/bulk" in written.formats,
        high_fraction=fraction,
    )  # fmt: skip
    states: list[ListState] = []
    for zone in zones:
        cpus = max(1, len(zone.lists))
        states += [list_state(zone, lists, about.release, cpus, fraction) for lists in zone.lists]
    return PageTrace(
        origin=origin, zones=tuple(zone.zone for zone in zones), states=tuple(states), events=events,
        samples=_samples(written.samples[1:], begin),
    )  # fmt: skip


def lost_of(written: Written) -> int:
    """Events that the kernel had no room for."""
    return sum(int(number) for text in written.texts.values() for number in _LOST.findall(text))


def read_written(data: bytes) -> Written:
    """Raises PagesError, with the recorder's own reason where it gave one."""
    try:
        return _read(tuple(frames(data.rstrip(b"\0"))))
    except StreamError as error:
        raise PagesError(f"the recorder's output is damaged ({error.detail})") from error
    except ValueError as error:
        raise PagesError(f"the recorder's output is not understood ({error})") from error


def _read(all_frames: tuple[Frame, ...]) -> Written:
    for frame in all_frames:
        if frame.kind == "error":
            raise PagesError(frame.payload.decode("utf-8", "replace"), "docs/how-to/pcp.md says what it needs")
    if not all_frames or all_frames[-1].kind != "end":
        raise PagesError("the guest ended before all of it was written")
    texts = {frame.name: frame.payload.decode("utf-8", "replace") for frame in all_frames if frame.kind == "file"}
    begins, ends = f"format:{_TRACING}events/", "/format"
    raw = grouped((int(frame.name.removeprefix("cpu")), frame.payload) for frame in all_frames if frame.kind == "pages")
    cpus = [int(name.partition(":")[0].removeprefix("cpu")) for name in texts if name.startswith("cpu")]
    return Written(
        formats={name.removeprefix(begins).removesuffix(ends): read_format(text)
                 for name, text in texts.items() if name.startswith(begins) and name.endswith(ends)},
        texts=texts,
        pages={cpu: b"".join(raw.get(cpu, ())) for cpu in cpus},
        samples=tuple((int(frame.name), frame.payload.decode()) for frame in all_frames if frame.kind == "sample"),
        ended_ns=int(b"".join(frame.payload for frame in all_frames if frame.kind == "ended")),
    )  # fmt: skip


def _samples(looks: Iterable[tuple[int, str]], begin: int) -> Array:
    rows = [
        (at - begin, lists.cpu, zone.zone.number, lists.pages, lists.high, _encoded_limit(lists.high_min),
         _encoded_limit(lists.high_max), lists.batch)
        for at, text in looks
        for zone in read_zoneinfo(text)
        for lists in zone.lists
    ]  # fmt: skip
    return np.array(rows, SAMPLE)


def _encoded_limit(limit: int | None) -> int:
    return -1 if limit is None else limit


# mm_page_free and mm_page_free_batched, until _finished() has merged the two events of a page into one free.
_READY, _BATCHED = 14, 15


def _events_of(cpu: int, events: Events, formats: Mapping[str, Format]) -> tuple[Array, int]:
    """(the events of one CPU, of dtype EVENT in order; 1 when the kernel marked that it had lost some)."""
    where: list[Index] = []
    parts: list[Array] = []

    def add(
        chosen: Index, kind: int, pfn: npt.ArrayLike, order: npt.ArrayLike = 0, migratetype: npt.ArrayLike = 0
    ) -> None:
        part = np.zeros(len(chosen), EVENT)
        part["time_ns"], part["cpu"], part["pfn"] = events.time_ns[chosen], cpu, pfn
        part["what"] = np.asarray(order, np.uint8) | np.uint8(kind << 4)
        part["migratetype"] = migratetype
        where.append(chosen)
        parts.append(part)

    def paged(name: str, kind: int, *fields: str, but: Index | None = None) -> None:
        event = formats[f"kmem/{name}"]
        chosen = events.of(event)
        pfn = events.field(event, "pfn", chosen)
        chosen = np.setdiff1d(chosen[pfn != _NO_PAGE], () if but is None else but)
        values = [events.field(event, field, chosen) for field in fields]
        add(chosen, kind, events.field(event, "pfn", chosen), *values)

    paged("mm_page_alloc", Kind.ALLOC, "order", "migratetype")
    paged("mm_page_free", _READY, "order")
    paged("mm_page_free_batched", _BATCHED)
    paged("mm_page_alloc_zone_locked", Kind.REFILL, "order", "migratetype")
    paged("mm_page_alloc_extfrag", Kind.REFILL, "alloc_order", "alloc_migratetype", but=_twice(events, formats))
    paged("mm_page_pcpu_drain", Kind.DRAIN, "order", "migratetype")
    worker = events.of(formats["workqueue/workqueue_execute_start"])
    add(worker, Kind.WORKER, 0)
    add(events.of(formats["vmscan/mm_vmscan_kswapd_wake"]), Kind.RECLAIM, 0, 1)
    add(events.of(formats["vmscan/mm_vmscan_kswapd_sleep"]), Kind.RECLAIM, 0)
    if bulk := formats.get("kassay/bulk"):
        chosen = events.of(bulk)
        pages = events.field(bulk, "pages", chosen)
        several = pages > 1  # a single page comes from the usual allocator, which logs it
        add(np.repeat(chosen[several], pages[several].astype(np.int64)), Kind.ALLOC, UNKNOWN)
    order = np.argsort(np.concatenate(where), kind="stable")
    page_events = np.concatenate(parts)[order]
    _mark_worker(page_events, events, formats, np.concatenate(where)[order], worker)
    return page_events, int(events.missed)


def _twice(events: Events, formats: Mapping[str, Format]) -> Index:
    """Pages taken from another type's block that have a second event, just before or just after."""
    taken, usual = formats["kmem/mm_page_alloc_extfrag"], formats["kmem/mm_page_alloc_zone_locked"]
    chosen, others = events.of(taken), events.of(usual)
    pfn = np.full(len(events.at) + 2, _NO_PAGE)
    pfn[others + 1] = events.field(usual, "pfn", others)
    numbers = events.field(taken, "pfn", chosen)
    return np.setdiff1d(chosen, chosen[(pfn[chosen] != numbers) & (pfn[chosen + 2] != numbers)])


def _mark_worker(
    page_events: Array, events: Events, formats: Mapping[str, Format], where: Index, starts: Index
) -> None:
    """Marks the drains of the vmstat worker: those of its task, between the begin and the end of its work."""
    begun = formats["workqueue/workqueue_execute_start"]
    ends = events.of(formats["workqueue/workqueue_execute_end"])
    last = np.searchsorted(starts, where, "right") - 1
    if not len(starts):
        return
    inside = (last >= 0) & (np.searchsorted(ends, where, "right") <= last)
    tasks = events.words[events.at + 1]
    same_task = tasks[where] == tasks[starts[np.maximum(last, 0)]]
    if begun.fields.get("common_pid") != (4, 4):
        raise PagesError("the kernel's trace events have their task elsewhere", "record on another kernel")
    drains = page_events["what"] >> 4 == Kind.DRAIN
    page_events["migratetype"][drains & inside & same_task] |= BY_WORKER


def _finished(events: Array) -> Array:
    """Merges both events of a batched free into one, with the order of the first; adds the migrate type of frees."""
    kind, pfn = events["what"] >> 4, events["pfn"]
    frees = np.flatnonzero(kind >= _READY)
    frees = frees[np.lexsort((frees, pfn[frees]))]
    announced = (kind[frees[:-1]] == _READY) & (kind[frees[1:]] == _BATCHED) & (pfn[frees[:-1]] == pfn[frees[1:]])
    before, after = frees[:-1][announced], frees[1:][announced]
    events["what"][after] = events["what"][before] & 0xF | kind[after] << 4
    events["what"][frees] = events["what"][frees] & 0xF | Kind.FREE << 4
    _type_frees(events)
    return np.delete(events, before)


def _type_frees(events: Array) -> None:
    """A page goes to the list of its block's migrate type, which the event of a free does not have. It is taken from
    the page's allocation; else from the first allocation in the same block; else it is movable."""
    kind = events["what"] >> 4
    is_allocation = (kind == Kind.ALLOC) & (events["pfn"] != UNKNOWN)
    chosen = np.flatnonzero(is_allocation | (kind == Kind.FREE))
    ordered = chosen[np.lexsort((chosen, events["pfn"][chosen]))]
    pfn, allocated = events["pfn"][ordered], is_allocation[ordered]
    last = np.maximum.accumulate(np.where(allocated, np.arange(len(ordered)), -1))
    same_page = (last >= 0) & (pfn[last] == pfn) & ~allocated
    events["migratetype"][ordered[same_page]] = events["migratetype"][ordered[last[same_page]]]
    blocks, first = np.unique(events["pfn"][is_allocation] >> _BLOCK_ORDER, return_index=True)
    types = events["migratetype"][is_allocation][first]
    strangers = ordered[~same_page & ~allocated]
    wanted = events["pfn"][strangers] >> _BLOCK_ORDER
    at = np.minimum(np.searchsorted(blocks, wanted), max(0, len(blocks) - 1))
    in_block = blocks[at] == wanted if len(blocks) else np.zeros(len(strangers), bool)
    events["migratetype"][strangers] = np.where(in_block, types[at] if len(blocks) else 0, _MOVABLE)
