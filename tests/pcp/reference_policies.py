# SPDX-License-Identifier: GPL-2.0-only
"""The policies as the patch and mm/page_alloc.c of 6.1.192, 6.12.117, 6.18.15 and 7.3.4 have them, by function."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.pcp.reference import Pcp


class Given(NamedTuple):
    """CONFIG_PCP_BATCH_SCALE_MAX, PCPF_FREE_HIGH_BATCH, and by which part high decays."""

    scale_max: int
    free_high_batch: int
    decay_shift: int


class ReferencePolicy(NamedTuple):
    """alloc: blocks of a refill; free: pages to give back, None: the lock is not taken; decay: likewise, 0 is none."""

    alloc: Callable[[Pcp, int, Given], int]
    free: Callable[[Pcp, int, Given], int | None]
    decay: Callable[[Pcp, Given], int]
    batched: bool = False


def clamp(value: int, low: int, high: int) -> int:
    return high if value >= high else max(value, low)


def _scaled_to_order(batch: int, order: int) -> int:
    return max(batch >> order, 2) if batch > 1 else batch


def alloc_6_1(pcp: Pcp, order: int, given: Given) -> int:
    return _scaled_to_order(pcp.batch, order)


def _nr_pcp_high_fixed(pcp: Pcp, free_high: bool) -> int:
    if not pcp.high_min or free_high:
        return 0
    return min(pcp.batch << 2, pcp.high_min) if pcp.zone.reclaim_active else pcp.high_min


def _nr_pcp_free_doubling(pcp: Pcp, high: int, given: Given, *, inclusive: bool) -> int:
    if high < pcp.batch:
        return 1
    most = high - pcp.batch
    batch = pcp.batch << pcp.free_factor
    if (batch < most or (inclusive and batch == most)) and pcp.free_factor < given.scale_max:
        pcp.free_factor += 1
    return clamp(batch, pcp.batch, most)


def free_6_1(pcp: Pcp, order: int, given: Given) -> int | None:
    free_high = bool(pcp.free_factor and order and order <= 3)
    pcp.counted["free_high"] += free_high
    high = _nr_pcp_high_fixed(pcp, free_high)
    if pcp.count < high:
        return None
    return pcp.count if free_high else _nr_pcp_free_doubling(pcp, high, given, inclusive=False)


def alloc_before_patch(pcp: Pcp, order: int, given: Given) -> int:
    high, batch = pcp.high_min, pcp.batch
    if high < batch:
        return 1
    if not order:
        max_nr_alloc = max(high - pcp.count - batch, batch)
        batch <<= pcp.alloc_factor
        if batch <= max_nr_alloc and pcp.alloc_factor < given.scale_max:
            pcp.alloc_factor += 1
        batch = min(batch, max_nr_alloc)
    return _scaled_to_order(batch, order)


def _free_high_after(pcp: Pcp, order: int, given: Given, *, long_enough: bool) -> bool:
    if not order or order > 3:
        pcp.previous_free_high_order = False
        return False
    before, pcp.previous_free_high_order = pcp.previous_free_high_order, True
    free_high = long_enough and before and (not given.free_high_batch or pcp.count >= pcp.batch)
    pcp.counted["free_high"] += free_high
    return free_high


def free_before_patch(pcp: Pcp, order: int, given: Given) -> int | None:
    free_high = _free_high_after(pcp, order, given, long_enough=bool(pcp.free_factor))
    high = _nr_pcp_high_fixed(pcp, free_high)
    if pcp.count < high:
        return None
    return pcp.count if free_high else _nr_pcp_free_doubling(pcp, high, given, inclusive=False)


def _alloc_tuned(pcp: Pcp, order: int, given: Given, may_raise: bool) -> int:
    high = pcp.high = clamp(pcp.high, pcp.high_min, pcp.high_max)
    if high < pcp.batch:
        return 1
    batch = pcp.batch if order else pcp.batch << pcp.alloc_factor
    if pcp.high_min != pcp.high_max and may_raise:
        high = pcp.high = min(high + batch, pcp.high_max)
    if not order:
        max_nr_alloc = max(high - pcp.count - pcp.batch, pcp.batch)
        if batch <= max_nr_alloc and pcp.alloc_factor < given.scale_max:
            pcp.alloc_factor += 1
        batch = min(batch, max_nr_alloc)
    return _scaled_to_order(batch, order)


def alloc_patch(pcp: Pcp, order: int, given: Given) -> int:
    return _alloc_tuned(pcp, order, given, not pcp.zone.reclaim_active)


def alloc_6_12(pcp: Pcp, order: int, given: Given) -> int:
    return _alloc_tuned(pcp, order, given, not pcp.zone.below_high)


def alloc_on_drain(pcp: Pcp, order: int, given: Given) -> int:
    return _alloc_tuned(pcp, order, given, False)


def free_patch(pcp: Pcp, order: int, given: Given) -> int | None:
    free_high = _free_high_after(pcp, order, given, long_enough=bool(pcp.free_factor))
    high = pcp.high = clamp(pcp.high, pcp.high_min, pcp.high_max)
    if not high or free_high:
        if high:
            pcp.high = max(high - (pcp.batch << given.scale_max), pcp.high_min)
        high = 0
    elif pcp.zone.reclaim_active:
        pcp.high = max(high - (pcp.batch << pcp.free_factor), pcp.high_min)
        high = min(pcp.batch << 2, pcp.high)
    elif pcp.count >= high and pcp.high_min != pcp.high_max:
        need_high = (pcp.batch << pcp.free_factor) + pcp.batch
        if pcp.high < need_high:
            pcp.high = clamp(need_high, pcp.high_min, pcp.high_max)
    if pcp.count < high:
        return None
    if free_high:
        return min(pcp.count, pcp.batch << given.scale_max)
    return _nr_pcp_free_doubling(pcp, high, given, inclusive=True)


def _nr_pcp_high_6_12(pcp: Pcp, given: Given, free_high: bool) -> int:
    high = pcp.high = clamp(pcp.high, pcp.high_min, pcp.high_max)
    if not high:
        return 0
    if free_high:
        pcp.high = max(high - (pcp.batch << given.scale_max), pcp.high_min)
        return 0
    free_count = max(pcp.free_count, pcp.batch)
    if pcp.zone.reclaim_active:
        pcp.high = max(high - free_count, pcp.high_min)
        return min(pcp.batch << 2, pcp.high)
    if pcp.high_min == pcp.high_max:
        return high
    if pcp.zone.below_high:
        pcp.high = max(high - free_count, pcp.high_min)
        return max(pcp.count, pcp.high_min)
    if pcp.count >= high and pcp.high < pcp.free_count + pcp.batch:
        pcp.high = clamp(pcp.free_count + pcp.batch, pcp.high_min, pcp.high_max)
    return high


def _free_after(pcp: Pcp, order: int, given: Given, consecutive: int) -> int | None:
    free_high = _free_high_after(pcp, order, given, long_enough=pcp.free_count >= consecutive)
    if pcp.free_count < pcp.batch << given.scale_max:
        pcp.free_count += 1 << order
    high = _nr_pcp_high_6_12(pcp, given, free_high)
    if pcp.count < high:
        return None
    if free_high:
        return min(pcp.count, pcp.batch << given.scale_max)
    return 1 if high < pcp.batch else clamp(pcp.free_count, pcp.batch, high - pcp.batch)


def free_6_12(pcp: Pcp, order: int, given: Given) -> int | None:
    return _free_after(pcp, order, given, pcp.batch)


def free_6_18(pcp: Pcp, order: int, given: Given) -> int | None:
    return _free_after(pcp, order, given, pcp.batch + pcp.high_min // 2)


def free_7_3(pcp: Pcp, order: int, given: Given) -> int | None:
    return free_6_18(pcp, order, given) or None  # a loop, which does not begin for 0 pages


def free_on_drain(pcp: Pcp, order: int, given: Given) -> int | None:
    before = pcp.counted["free_high"]
    pages = free_6_12(pcp, order, given)
    calm = not pcp.zone.reclaim_active and not pcp.zone.below_high and pcp.counted["free_high"] == before
    if pages and calm and pcp.high_min != pcp.high_max:
        pcp.high = min(pcp.high + pages, pcp.high_max)
    return pages


def decay_none(pcp: Pcp, given: Given) -> int:
    return 0


def decay(pcp: Pcp, given: Given) -> int:
    if pcp.high > pcp.high_min:
        pcp.high = max(
            pcp.count - (pcp.batch << given.scale_max), pcp.high - (pcp.high >> given.decay_shift), pcp.high_min
        )
    return max(pcp.count - pcp.high, 0)


REFERENCE: Mapping[str, ReferencePolicy] = {
    "fixed": ReferencePolicy(alloc_6_1, free_6_1, decay_none),
    "fixed_scaled": ReferencePolicy(alloc_before_patch, free_before_patch, decay_none),
    "auto_patch": ReferencePolicy(alloc_patch, free_patch, decay),
    "auto": ReferencePolicy(alloc_6_12, free_6_12, decay),
    "auto_6_18": ReferencePolicy(alloc_6_12, free_6_18, decay),
    "auto_7_3": ReferencePolicy(alloc_6_12, free_7_3, decay, batched=True),
    "auto_on_drain": ReferencePolicy(alloc_on_drain, free_on_drain, decay),
}
