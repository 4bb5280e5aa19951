# SPDX-License-Identifier: GPL-2.0-only
"""A page trace as a file: written, read back, and refused when it is not whole."""

from pathlib import Path

import numpy as np
import pytest

from kassay.errors import BadInput
from kassay.tools.recording.pages import PagesError, PageTrace, from_bytes, read_pages, to_bytes, write_pages
from kassay.tools.recording.recorded import About, page_trace
from tests.recording.written import Happened, written

ABOUT = About("debian:6.12", "6.12.117", "x86_64", "page_fault size=2MiB tasks=1", 4096, 1 << 30, 5)


@pytest.fixture
def trace() -> PageTrace:
    events = [Happened(2000 + n, "kmem/mm_page_alloc", (5000 + n, 0, 0, 1)) for n in range(7)]
    return page_trace(written([events, []], counts=(10, 11)), ABOUT)


@pytest.mark.parametrize("name", ("a.pages", "a.pages.zst"))
def test_what_is_written_is_read_back(trace: PageTrace, tmp_path: Path, name: str) -> None:
    write_pages(tmp_path / name, trace)
    again = read_pages(tmp_path / name)
    assert (again.origin, again.zones, again.states) == (trace.origin, trace.zones, trace.states)
    assert np.array_equal(again.events, trace.events)
    assert np.array_equal(again.samples, trace.samples)


def test_the_layout_is_that_of_the_documentation(trace: PageTrace) -> None:
    data = to_bytes(trace)
    header, _, body = data.partition(b"\n\n")
    lines = header.decode().splitlines()
    assert lines[0] == "kassay-pages/1"
    assert {"cpus 2", "events 7", "lost 0", "workload page_fault size=2MiB tasks=1"} <= set(lines)
    assert lines[-2:] == ["sample 0 0 0 10 500 -1 -1 63", "sample 0 1 0 11 500 -1 -1 63"]
    assert body[:16].hex() == "e803000000000000" + "00" + "01" + "0000" + "88130000"
    assert len(body) == 7 * 16


@pytest.mark.parametrize(
    ("before", "after", "message"),
    (
        (b"kassay-pages/1", b"kassay-pages/9", "not the beginning"),
        (b"events 7", b"events 8", "were announced"),
        (b"\ncpus 2", b"\ncpus 0", "the machine has 0"),
        (b"\ncpus 2", b"\ncpus two", "cpus"),
        (b"\nrelease ", b"\nreleased ", "release"),
        (b"zone number=", b"zona number=", "no zone"),
        (b"sample 0 1", b"sample 0 x", "sample"),
        (b"sample 0 1 ", b"sample 0 ", "sample"),
        (b"sample 0 1 ", b"sample 0 2 ", "sample of CPU 2"),
        (b"sample 0 1 0", b"sample 0 1 9", "sample of zone 9"),
        (b"state cpu=1", b"state cpu=2", "state of CPU 2"),
        (b"state cpu=0 zone=0", b"state cpu=0 zone=7", "state of zone 7"),
        (b" managed=", b" many=", "managed"),
        (b"\nevents 7", b"\nevent 7", "'events'"),
    ),
)
def test_a_damaged_trace_is_refused_with_what_is_wrong(
    trace: PageTrace, before: bytes, after: bytes, message: str
) -> None:
    data = to_bytes(trace)
    assert before in data
    with pytest.raises(PagesError, match=message):
        from_bytes(data.replace(before, after))


def test_events_out_of_order_are_refused(trace: PageTrace) -> None:
    events = trace.events.copy()
    events["time_ns"][3] = 0
    with pytest.raises(PagesError, match="order of time"):
        from_bytes(to_bytes(PageTrace(**{**vars(trace), "events": events})))


def test_a_kind_of_a_later_version_is_refused(trace: PageTrace) -> None:
    events = trace.events.copy()
    events["what"][3] = 9 << 4
    with pytest.raises(PagesError, match="unknown kind 9"):
        from_bytes(to_bytes(PageTrace(**{**vars(trace), "events": events})))


def test_a_cut_compressed_file_is_refused_by_its_path(trace: PageTrace, tmp_path: Path) -> None:
    write_pages(tmp_path / "a.zst", trace)
    data = (tmp_path / "a.zst").read_bytes()
    (tmp_path / "a.zst").write_bytes(data[: len(data) // 2])
    with pytest.raises(BadInput, match=r"a\.zst: page trace: its end is missing"):
        read_pages(tmp_path / "a.zst")


def test_a_flipped_bit_of_a_compressed_trace_is_found(trace: PageTrace, tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    write_pages(path, trace)
    whole = path.read_bytes()
    for place in range(len(whole)):
        data = bytearray(whole)
        data[place] ^= 1
        try:
            read = from_bytes(bytes(data))
        except PagesError:
            continue
        assert to_bytes(read) == to_bytes(trace), place


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no\.pages"):
        read_pages(tmp_path / "no.pages")
