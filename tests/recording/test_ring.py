# SPDX-License-Identifier: GPL-2.0-only
"""Raw pages of a ring buffer, from a naive writer, are read back event by event."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.tools.recording.ring import read_format, read_pages
from tests.recording.ring_pages import event, pages

FORMAT = """name: mm_page_free
ID: 623
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;
\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;

print fmt: "..."
"""
SIZES = st.sampled_from((0, 4, 12, 24, 40, 104, 108, 200))
STEPS = st.one_of(st.integers(0, 3000), st.integers(1 << 27, 1 << 40))


@given(st.lists(st.tuples(STEPS, SIZES, st.integers(0, (1 << 64) - 1)), max_size=400))
def test_every_event_comes_back_with_its_time_and_its_fields(steps: list[tuple[int, int, int]]) -> None:
    kind, now, written = read_format(FORMAT), 0, []
    for step, extra, pfn in steps:
        now += step
        written.append((now, pfn, extra))
    raw = pages((time, event(623, struct.pack("<QI", pfn, 2) + bytes(extra))) for time, pfn, extra in written)
    found = read_pages(raw)
    chosen = found.of(kind)
    assert found.time_ns[chosen].tolist() == [time for time, _, _ in written]
    assert found.field(kind, "pfn", chosen).tolist() == [pfn for _, pfn, _ in written]
    assert set(found.field(kind, "order", chosen).tolist()) <= {2}


SMALL = """ID: 7
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:u8 near;\toffset:8;\tsize:1;\tsigned:0;
\tfield:u64 far;\toffset:9;\tsize:8;\tsigned:0;
\tfield:u32 across;\toffset:17;\tsize:4;\tsigned:0;
\tfield:u16 last;\toffset:21;\tsize:2;\tsigned:0;
"""
"""As of a probe, whose fields the kernel packs without holes."""


@given(st.tuples(*(st.integers(0, (1 << bits) - 1) for bits in (8, 8, 8, 64, 32, 16))))
def test_fields_of_any_size_and_place_are_read(values: tuple[int, ...]) -> None:
    kind, names = read_format(SMALL), ("common_flags", "common_preempt_count", "near", "far", "across", "last")
    found = read_pages(pages([(5, struct.pack("<HBBi", 7, *values[:2], 99) + struct.pack("<BQIH", *values[2:]))]))
    chosen = found.of(kind)
    assert [found.field(kind, name, chosen).tolist() for name in names] == [[value] for value in values]
    assert found.field(kind, "common_type", chosen).tolist() == [7]


def test_events_of_other_types_are_told_apart_and_marked_losses_are_seen() -> None:
    raw = pages([(5, event(1)), (6, event(623, struct.pack("<QI", 7, 0))), (9, event(2))], missed=True)
    found = read_pages(raw)
    assert found.of(read_format(FORMAT)).tolist() == [1]
    assert found.missed
    assert not read_pages(pages([(5, event(1))])).missed


def test_a_time_stamp_replaces_the_low_bits_of_the_time_before() -> None:
    high = 3 << 59
    body = struct.pack("<II", 31 | (100 & 0x7FFFFFF) << 5, 0) + struct.pack("<I", 2 | 7 << 5) + event(1)
    raw = struct.pack("<QQ", high, len(body)) + body.ljust(4080, b"\0")
    assert read_pages(raw).time_ns.tolist() == [high + 107]


def test_padding_ends_a_page() -> None:
    body = struct.pack("<I", 2) + event(1) + struct.pack("<II", 29, 0) + b"\xff" * 64
    raw = struct.pack("<QQ", 10, len(body)) + body.ljust(4080, b"\0")
    assert len(read_pages(raw).at) == 1


@pytest.mark.parametrize(
    "raw",
    (b"\0" * 100, struct.pack("<QQ", 0, 4090).ljust(4096, b"\0"), struct.pack("<QQI", 0, 4, 28).ljust(4096, b"\0")),
)
def test_what_is_no_ring_buffer_is_refused(raw: bytes) -> None:
    with pytest.raises(BadInput):
        read_pages(raw)


def test_an_empty_buffer_has_no_events() -> None:
    assert np.array_equal(read_pages(b"").at, [])


def test_a_field_that_a_kernel_lacks_is_named() -> None:
    found = read_pages(pages([(5, event(623, bytes(12)))]))
    with pytest.raises(BadInput, match="no field migratetype"):
        found.field(read_format(FORMAT), "migratetype", found.of(read_format(FORMAT)))
