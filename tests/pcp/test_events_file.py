# SPDX-License-Identifier: GPL-2.0-only
"""Is a file of page events that cannot be one refused with its place; and what of pages that it tells too little of?"""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.pcp.engine import Config, Outcome, PcpState, run
from tests.pcp.configs import config
from tests.pcp.events import ALLOC, FREE, RECLAIM, VMSTAT, Event, write

GIVEN = config("auto", vmstat_ns=0)
HEADER = b"kassay-pages/1\n\n"


def outcome(tmp_path: Path, events: list[Event], given: Config = GIVEN) -> Outcome:
    return run(given, write(tmp_path / "pages", events))


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([Event(5, ALLOC, 0), Event(4, FREE, 0)], "record 1: its time is before that of the record before"),
        ([Event(10**15 + 1, ALLOC, 0)], "record 0: its time is above 1000000000000000 ns"),
        ([Event(0, ALLOC, 2)], "record 0: CPU 2 is not among the 2"),
        ([Event(0, 7, 0)], "record 0: kind 7 is not known"),
        ([Event(0, ALLOC, 0, pfn=4, order=3)], "record 0: page frame 4 begins no block of order 3"),
        ([Event(0, ALLOC, 0, pfn=0, order=12)], "record 0: page frame 0 begins no block of order 12"),
        ([Event(0, FREE, 0, pfn=1 << 15)], "record 0: page frame 32768 is in no zone"),
    ],
)
def test_an_impossible_event_is_refused_by_its_number(tmp_path: Path, events: list[Event], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        outcome(tmp_path, events)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no page events"),
        (b"kassay-trace/1\n\n" + bytes(16), "does not begin with kassay-pages/1"),
        (HEADER + bytes(17), "it ends within a record"),
        (HEADER.rstrip() + b"\n" + bytes(40), "no page events"),
    ],
)
def test_a_file_that_is_none_is_refused_by_name(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "pages"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=f"{path}: .*{why}"):
        run(GIVEN, path)
    with pytest.raises(BadInput, match="No such file"):
        run(GIVEN, tmp_path / "none")


def test_pages_that_are_freed_first_were_allocated_before_the_begin(tmp_path: Path) -> None:
    found = outcome(tmp_path, [Event(0, FREE, 1, pfn=n) for n in range(50)])
    assert found.counters["unseen"] == found.counters["refills"] == 0
    assert [pcp.count for pcp in found.pcps] == [0, 50] and found.free[0] == (1 << 15) - 50


def test_parts_of_a_block_may_be_freed_by_themselves(tmp_path: Path) -> None:
    events = [Event(0, ALLOC, 0, pfn=64, order=3), *(Event(1, FREE, 0, pfn=64 + n) for n in range(8))]
    found = outcome(tmp_path, events)
    assert found.counters["unseen"] == 0 and {row.order: row.frees for row in found.orders} == {0: 8, 3: 0}


def test_what_was_not_recorded_is_made_good_and_counted(tmp_path: Path) -> None:
    events = [Event(0, ALLOC, 0, pfn=7), Event(1, ALLOC, 0, pfn=7), Event(2, FREE, 0, pfn=7), Event(3, FREE, 0, pfn=7)]
    found = outcome(tmp_path, events)
    assert found.counters["unseen"] == 2 and found.counters["allocations"] == found.counters["frees"] == 2


def test_pcps_begin_as_they_are_told_to(tmp_path: Path) -> None:
    given = Config(GIVEN.policy, GIVEN.run, GIVEN.zones, (), (PcpState(1, 0, 70, 400),))
    found = outcome(tmp_path, [Event(0, ALLOC, 1, pfn=n) for n in range(60)], given)
    assert found.counters["refills"] == 0 and (found.pcps[1].count, found.pcps[1].high) == (10, 400)
    decayed = outcome(tmp_path, [Event(0, VMSTAT, 1)], given)
    assert (decayed.pcps[1].count, decayed.pcps[1].high) == (70, 350)


def test_reclaim_is_what_the_file_says(tmp_path: Path) -> None:
    frees = [Event(1, FREE, 0, pfn=n) for n in range(99)]
    calm, pressed = ([Event(0, RECLAIM, 0, pfn=0, order=on), *frees] for on in (0, 1))
    assert outcome(tmp_path, calm).counters["drains"] == 0
    assert outcome(tmp_path, pressed).counters["drains"] > 0
