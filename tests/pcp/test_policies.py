# SPDX-License-Identifier: GPL-2.0-only
"""Does each policy do what docs/explained/pcp-model.md says of it, in cases that are worked out by hand?

A batch of 15, high_min 100, high_max 2000; CPU 1 does everything.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from kassay.labs.pcp.engine import PcpCount, run
from tests.pcp.configs import ZONE, config
from tests.pcp.events import ALLOC, FREE, VMSTAT, Event, write

TUNED = ("auto_patch", "auto", "auto_6_18", "auto_7_3")
PLENTY = {"low_watermark": 1, "high_watermark": 2}


def allocations(number: int, order: int = 0) -> list[Event]:
    return [Event(0, ALLOC, 1, pfn=n << order, order=order) for n in range(number)]


def frees(number: int, order: int = 0) -> list[Event]:
    """Frees of pages that were allocated before the begin."""
    return [Event(1, FREE, 1, pfn=(1 << 14) + (n << order), order=order) for n in range(number)]


def after(tmp_path: Path, policy: str, events: list[Event], zone: Mapping[str, int] = PLENTY) -> PcpCount:
    return run(config(policy, zone=zone, vmstat_ns=0), write(tmp_path / "pages", events)).pcps[1]


def test_a_refill_of_6_1_is_a_batch(tmp_path: Path) -> None:
    found = after(tmp_path, "fixed", allocations(945))
    assert (found.refills, found.refilled_pages, found.high) == (63, 945, 100)


@pytest.mark.parametrize("policy", TUNED)
def test_refills_double_up_to_32_batches_and_high_rises_by_each(tmp_path: Path, policy: str) -> None:
    found = after(tmp_path, policy, allocations(15 + 30 + 60 + 120 + 240 + 480))
    assert (found.refills, found.refilled_pages, found.high) == (6, 945, 100 + 945)


def test_refills_without_tuning_double_as_far_as_high_has_room(tmp_path: Path) -> None:
    found = after(tmp_path, "fixed_scaled", allocations(15 + 30 + 60 + 85 + 85))
    assert (found.refills, found.refilled_pages, found.high) == (5, 275, 100)


def test_high_rises_with_drains_alone_where_that_is_the_policy(tmp_path: Path) -> None:
    assert after(tmp_path, "auto_on_drain", allocations(945)).high == 100
    assert after(tmp_path, "auto_on_drain", frees(100)).high > after(tmp_path, "auto", frees(99)).high == 100


@pytest.mark.parametrize("policy", TUNED)
def test_an_order_takes_fewer_blocks_and_at_least_two(tmp_path: Path, policy: str) -> None:
    assert after(tmp_path, policy, allocations(1, order=2)).refilled_pages == 15 // 4 * 4
    assert after(tmp_path, policy, allocations(1, order=3)).refilled_pages == 2 * 8


def test_a_drain_of_7_3_takes_the_lock_once_a_batch(tmp_path: Path) -> None:
    fixed = {**PLENTY, "high_max": 100}
    before, now = (after(tmp_path, policy, frees(500), fixed) for policy in ("auto", "auto_7_3"))
    assert before.drained_pages == now.drained_pages == 85 * before.drains
    assert now.drains == 6 * before.drains  # 5 batches of 15, and 10 pages


def test_high_order_frees_ask_for_all_the_later_the_newer(tmp_path: Path) -> None:
    # 6.12: after 15 pages in a row, whenever the PCP has as many again: frees 3, 5, 7, 9. 7.3: after 15 + 50 pages.
    count = {policy: after(tmp_path, policy, frees(10, order=3)).free_high for policy in ("fixed", "auto", "auto_7_3")}
    assert count == {"fixed": 0, "auto": 4, "auto_7_3": 1}
    assert after(tmp_path, "auto_6_18", frees(10, order=3)).free_high == 1
    assert after(tmp_path, "fixed", frees(20, order=3)).free_high == 7  # 6.1: each one after the drain at 104 pages


def test_below_its_high_watermark_a_zone_gets_all_above_high_min(tmp_path: Path) -> None:
    scarce = {"low_watermark": 1, "high_watermark": (1 << 15) - 10}
    events = [*allocations(400), *frees(300)]
    assert after(tmp_path, "auto_patch", events, scarce).high == after(tmp_path, "auto_patch", events).high > 500
    assert after(tmp_path, "auto", events, scarce).high == 100
    assert after(tmp_path, "auto", events, scarce).drained_pages > after(tmp_path, "auto", events).drained_pages == 0


def test_the_next_allocation_notices_free_pages_below_the_high_watermark(tmp_path: Path) -> None:
    """get_page_from_freelist() looks before rmqueue(), and takes all pages of a block but one for taken."""

    def high(events: list[Event], free_above: int, freed: int = 0) -> int:
        zone = {"low_watermark": 1, "high_watermark": (1 << 15) - freed - free_above}
        return after(tmp_path, "auto", [*events, *frees(freed)], zone).high

    assert [high(allocations(1), free_above) for free_above in (0, 1)] == [100, 115]
    assert [high(allocations(1, order=2), free_above) for free_above in (3, 4)] == [100, 115]
    # The 106th refills for the fourth time, to 225 pages in all; the 107th is from the list.
    assert high(allocations(106), 150, 300) == 325 > high(allocations(107), 150, 300)


def test_decay_is_an_eighth_and_gives_back_at_most_32_batches(tmp_path: Path) -> None:
    grown = [*allocations(945), *[Event(1, FREE, 1, pfn=n) for n in range(945)]]
    found = after(tmp_path, "auto", [*grown, Event(2, VMSTAT, 1)])
    assert (found.high, found.count) == (1045 - 1045 // 8, 1045 - 1045 // 8)
    assert found.drains == -(-(945 - found.count) // 15)
    assert after(tmp_path, "fixed", [*frees(99), Event(2, VMSTAT, 1)]).count == 99


@pytest.mark.parametrize("policy", TUNED)
def test_with_one_high_nothing_is_tuned(tmp_path: Path, policy: str) -> None:
    one = {**PLENTY, "high_min": 300, "high_max": 300}
    events = [*allocations(2000), *frees(2000), Event(2, VMSTAT, 1)]
    found = after(tmp_path, policy, events, one)
    assert found.least_high == found.most_high == found.high == 300 >= found.most_count


def test_a_high_below_a_batch_holds_nothing(tmp_path: Path) -> None:
    none = {**PLENTY, "high_min": 0, "high_max": 0, "batch": 31}
    for policy in ("fixed", *TUNED):
        found = after(tmp_path, policy, [*allocations(5), *frees(5)], {**ZONE, **none})
        assert found.count <= 31 * 5
        assert found.drains == 5
