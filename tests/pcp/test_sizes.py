# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's arithmetic, against /proc/zoneinfo of real machines."""

import pytest

from kassay.labs.pcp.sizes import min_free_pages, zone_batch, zone_sizes

# A virtual machine with 20 GiB, 2 CPUs, 6.18.44, THP "madvise": managed pages of DMA, DMA32 and Normal.
MANAGED = (3840, 772915, 4489216)


def test_min_free_kbytes_of_a_machine_with_huge_pages() -> None:
    assert min_free_pages(sum(MANAGED), 3, huge_pages=True) * 4 == 67584


@pytest.mark.parametrize(
    ("zone", "batch", "high_min", "high_max", "least", "low", "high"),
    [(0, 1, 7, 240, 12, 15, 18), (1, 63, 1625, 48307, 2479, 3251, 4023), (2, 63, 9446, 280576, 14403, 18892, 23381)],
)
def test_every_zone_of_it(zone: int, batch: int, high_min: int, high_max: int, least: int, low: int, high: int) -> None:
    found = zone_sizes(MANAGED[zone], 2, 67584 // 4, sum(MANAGED))
    assert found == (batch, high_min, high_max, least, low, high)


def test_a_fraction_fixes_high() -> None:
    found = zone_sizes(MANAGED[2], 2, 16896, sum(MANAGED), fraction=8)
    assert found.high_min == found.high_max == 280576


def test_batches_are_one_below_a_power_of_two() -> None:
    assert [zone_batch(pages) for pages in (0, 4096, 8192, 65536, 1 << 30)] == [1, 1, 1, 15, 63]
