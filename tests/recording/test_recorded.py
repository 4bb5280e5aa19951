# SPDX-License-Identifier: GPL-2.0-only
"""From what a recorder writes to a page trace: which of the kernel's events are one, and which are told twice."""

import numpy as np
import pytest

from kassay.tools.recording.pages import BY_WORKER, Kind, PagesError, PageTrace
from kassay.tools.recording.record import file_name
from kassay.tools.recording.recorded import About, page_trace
from tests.guest.frames import frame
from tests.recording.written import Happened, written

ABOUT = About("debian:6.12", "6.12.117", "x86_64", "page_fault", 4096, 1 << 30, 5)
NO_PAGE = (1 << 64) - 1
UNMOVABLE, MOVABLE = 0, 1


def alloc(time: int, pfn: int, migratetype: int = MOVABLE, order: int = 0) -> Happened:
    return Happened(time, "kmem/mm_page_alloc", (pfn, order, 0, migratetype))


def free(time: int, pfn: int, order: int = 0) -> Happened:
    return Happened(time, "kmem/mm_page_free", (pfn, order))


def batched(time: int, pfn: int) -> Happened:
    return Happened(time, "kmem/mm_page_free_batched", (pfn,))


def locked(time: int, pfn: int) -> Happened:
    return Happened(time, "kmem/mm_page_alloc_zone_locked", (pfn, 0, MOVABLE, 1))


def taken(time: int, pfn: int) -> Happened:
    return Happened(time, "kmem/mm_page_alloc_extfrag", (pfn, 0, 9, MOVABLE, UNMOVABLE, 0))


def test_a_trace_of_a_kernel_with_a_long_name_has_a_file() -> None:
    patched = "build:debian-source:6.1+examples/" + "a-patch.patch+" * 30
    names = {file_name(patched, "page_fault-size=16MiB" * times, "2cpu", key=str(times)) for times in (1, 20)}
    assert len(names) == 2 and all(len(name.encode()) < 255 and "/" not in name for name in names)


def trace_of(*cpus: list[Happened], **options: int) -> PageTrace:
    return page_trace(written(cpus, counts=[10] * len(cpus), **options), ABOUT)  # type: ignore[arg-type]


def told(trace: PageTrace) -> list[tuple[int, str, int, int, int]]:
    """time, kind, order, cpu, pfn of every event."""
    return [
        (int(e["time_ns"]), Kind(e["what"] >> 4).name, int(e["what"] & 15), int(e["cpu"]), int(e["pfn"]))
        for e in trace.events
    ]


def test_events_of_all_cpus_are_in_order_of_time_since_the_begin() -> None:
    trace = trace_of([alloc(2000, 5000), free(4000, 5000)], [alloc(3000, 6000, order=3)])
    assert told(trace) == [
        (1000, "ALLOC", 0, 0, 5000), (2000, "ALLOC", 3, 1, 6000), (3000, "FREE", 0, 0, 5000),
    ]  # fmt: skip
    assert (trace.origin.cpus, trace.origin.lost, trace.origin.span_ns) == (2, 0, 99_000)


def test_a_page_freed_in_a_batch_is_freed_once_when_it_goes_to_a_list() -> None:
    trace = trace_of([free(2000, 5000, order=2), free(2001, 5008), batched(2010, 5000), batched(2011, 5008),
                      free(2020, 5000)])  # fmt: skip
    assert told(trace) == [
        (1010, "FREE", 2, 0, 5000), (1011, "FREE", 0, 0, 5008), (1020, "FREE", 0, 0, 5000),
    ]  # fmt: skip


def test_stolen_page_is_one_refill() -> None:
    trace = trace_of([taken(2000, 5000), locked(2001, 5000), locked(2002, 5001), taken(2003, 5001), taken(2004, 7000)])
    assert [(row[1], row[4]) for row in told(trace)] == [("REFILL", 5000), ("REFILL", 5001), ("REFILL", 7000)]


def test_failed_allocations_are_skipped_and_bulk_ones_are_counted() -> None:
    bulk = [Happened(time, "kassay/bulk", (0, 0, pages)) for time, pages in ((2000, 3), (2500, 1))]
    trace = trace_of([bulk[0], alloc(2400, 5000), bulk[1], alloc(2600, NO_PAGE)])
    last = 4096 + 258048  # of the zone
    assert told(trace) == [
        *((1000, "ALLOC", 0, 0, last - n) for n in (3, 2, 1)), (1400, "ALLOC", 0, 0, 5000),
    ]  # fmt: skip


def test_a_page_freed_twice_was_allocated_in_bulk_in_between() -> None:
    def in_bulk(time: int, pages: int) -> Happened:
        return Happened(time, "kassay/bulk", (0, 0, pages))

    trace = trace_of(
        [free(2000, 5000), locked(2100, 5001), in_bulk(2200, 2), free(2300, 5000), free(2400, 5001), free(2450, 5003)],
        [free(2150, 5002), in_bulk(2250, 2), free(2500, 5002)],
    )
    assert [(row[0], row[3], row[4]) for row in told(trace) if row[1] == "ALLOC"] == [
        (1200, 0, 5001), (1200, 0, 5000), (1250, 1, 5002), (1250, 1, 4096 + 258048 - 1),
    ]  # fmt: skip


def test_drains_by_the_vmstat_worker_are_marked_and_others_are_not() -> None:
    def drain(time: int, pid: int) -> Happened:
        return Happened(time, "kmem/mm_page_pcpu_drain", (time, 0, MOVABLE), pid)

    start, end = (
        Happened(t, f"workqueue/workqueue_execute_{w}", (1, 2), 7) for t, w in ((3000, "start"), (4000, "end"))
    )
    trace = trace_of([drain(2000, 7), start, drain(3500, 7), drain(3600, 8), end, drain(5000, 7)])
    drains = trace.events[trace.kinds == Kind.DRAIN]
    assert [(int(d["time_ns"]), bool(d["migratetype"] & BY_WORKER)) for d in drains] == [
        (1000, False), (2500, True), (2600, False), (4000, False),
    ]  # fmt: skip
    assert int((trace.kinds == Kind.WORKER).sum()) == 1


def test_a_free_has_the_type_of_the_pages_allocation_else_of_its_block_else_movable() -> None:
    trace = trace_of([alloc(2000, 5120, UNMOVABLE), free(2100, 5120), free(2200, 5121), free(2300, 9000),
                      alloc(2400, 5120, 2), free(2500, 5120)])  # fmt: skip
    frees = trace.events[trace.kinds == Kind.FREE]
    assert frees["migratetype"].tolist() == [UNMOVABLE, UNMOVABLE, MOVABLE, 2]


def test_kswapd_wakes_and_sleeps() -> None:
    trace = trace_of([Happened(2000, "vmscan/mm_vmscan_kswapd_wake", (0, 1, 0)),
                      Happened(3000, "vmscan/mm_vmscan_kswapd_sleep", (0,))])  # fmt: skip
    assert [(row[1], row[2]) for row in told(trace)] == [("RECLAIM", 1), ("RECLAIM", 0)]


def test_what_came_before_the_begin_is_left_out() -> None:
    assert told(trace_of([free(999, 5000), free(1000, 5001)])) == [(0, "FREE", 0, 0, 5001)]


def test_lost_events_of_every_cpu_are_counted() -> None:
    assert trace_of([free(2000, 1)], [], dropped=21).origin.lost == 42


def test_zones_with_pages_and_the_lists_with_their_limits_are_there() -> None:
    trace = trace_of([], [])
    assert [(zone.name, zone.start_pfn, zone.managed, zone.high) for zone in trace.zones] == [
        ("DMA32", 4096, 200_000, 1200)
    ]
    assert [(state.cpu, state.count, state.high, state.told) for state in trace.states] == [
        (0, 10, 500, False), (1, 10, 500, False),
    ]  # fmt: skip
    # zone_highsize() in mm/page_alloc.c: the low watermark, and an eighth of the zone, over the CPUs of the node
    assert {(state.high_min, state.high_max) for state in trace.states} == {(500, 12_500)}
    assert trace.samples["count"].tolist() == [10, 10]
    assert trace.samples["high_max"].tolist() == [-1, -1]


def test_a_kernel_of_before_the_tuning_has_one_limit() -> None:
    trace = page_trace(written([[]]), ABOUT._replace(release="6.1.192"))
    assert [(state.high_min, state.high_max) for state in trace.states] == [(500, 500)]


def test_without_the_probe_of_bulk_allocations_that_is_told() -> None:
    assert page_trace(written([[]], without="kassay/bulk"), ABOUT).origin.bulk_seen is False
    assert page_trace(written([[]]), ABOUT).origin.bulk_seen is True


@pytest.mark.parametrize("data", (b"", b"nonsense", written([[]])[:900]))
def test_what_is_cut_or_damaged_is_refused(data: bytes) -> None:
    with pytest.raises(PagesError):
        page_trace(data, ABOUT)


def test_the_recorders_own_reason_is_handed_on() -> None:
    with pytest.raises(PagesError, match="this kernel has no tracefs"):
        page_trace(frame("error", "-", b"this kernel has no tracefs: No such device"), ABOUT)


def test_no_events_at_all_are_a_trace() -> None:
    assert np.array_equal(trace_of([]).kinds, [])
