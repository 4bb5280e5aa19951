# SPDX-License-Identifier: GPL-2.0-only
"""Sizes that a kernel computes from memory and CPUs: the watermarks of a zone, and batch, high_min and high_max of its
PCPs.

The arithmetic of mm/page_alloc.c and mm/khugepaged.c of 6.1.192, 6.12.117 and 7.3.4 (functions named below), for pages
of 4 KiB. tests/pcp/test_sizes.py compares them with /proc/zoneinfo.
"""

from math import isqrt
from typing import NamedTuple

PAGE_BYTES = 4096
_HIGH_FRACTION_LEAST = 8  # MIN_PERCPU_PAGELIST_HIGH_FRACTION
_PAGEBLOCK_PAGES = 512
_PCP_TYPES = 3  # MIGRATE_PCPTYPES
_SCALE_FACTOR = 10  # vm.watermark_scale_factor, in 1/10000


class ZoneSizes(NamedTuple):
    """Sizes of one zone, in pages. high_max is where auto-tuning ends; without it the high is high_min."""

    batch: int
    high_min: int
    high_max: int
    min_watermark: int
    low_watermark: int
    high_watermark: int


def zone_sizes(managed: int, cpus: int, min_free_pages: int, all_pages: int, fraction: int = 0) -> ZoneSizes:
    """managed: pages of the zone; cpus: of its node; all_pages: of all zones; fraction: of
    vm.percpu_pagelist_high_fraction, 0 is its default."""
    least = min_free_pages * managed // all_pages
    apart = max(least >> 2, managed * _SCALE_FACTOR // 10000)  # __setup_per_zone_wmarks()
    low = least + apart
    batch = zone_batch(managed)
    high_min = _high(managed // fraction if fraction else low, cpus, batch)
    high_max = high_min if fraction else _high(managed // _HIGH_FRACTION_LEAST, cpus, batch)
    return ZoneSizes(batch, high_min, high_max, least, low, low + apart)


def zone_batch(managed: int) -> int:
    """zone_batchsize(): 1/4096 of the zone or 256 KiB, half more, and then the power of two below that, minus 1."""
    batch = min(managed >> 12, (256 << 10) // PAGE_BYTES)
    return (1 << ((batch + batch // 2).bit_length() - 1)) - 1 if batch > 1 else 1


def min_free_pages(all_pages: int, zones: int, *, huge_pages: bool) -> int:
    """vm.min_free_kbytes by default, in pages. zones: populated ones. huge_pages: THP is not "never"."""
    kbytes = min(max(isqrt(all_pages * (PAGE_BYTES >> 10) * 16), 128), 262144)  # calculate_min_free_kbytes()
    if huge_pages:  # set_recommended_min_free_kbytes()
        recommended = _PAGEBLOCK_PAGES * zones * (2 + _PCP_TYPES * _PCP_TYPES)
        kbytes = max(kbytes, min(recommended, all_pages // 20) * (PAGE_BYTES >> 10))
    return kbytes // (PAGE_BYTES >> 10)


def _high(pages: int, cpus: int, batch: int) -> int:
    """zone_highsize()."""
    return max(pages // cpus, batch << 2)
