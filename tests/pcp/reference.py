# SPDX-License-Identifier: GPL-2.0-only
"""The reference model: the simulator's zones, PCPs and zone lock written as plainly as possible, and slow.

Free lists are Python lists, PCPs are lists of blocks, the policies follow mm/page_alloc.c line by line
(tests/pcp/reference_policies.py).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

UNMOVABLE, MOVABLE, RECLAIMABLE = range(3)
FALLBACKS = {UNMOVABLE: (RECLAIMABLE, MOVABLE), MOVABLE: (RECLAIMABLE, UNMOVABLE), RECLAIMABLE: (UNMOVABLE, MOVABLE)}
ORDERS = 11
Block = tuple[int, int]
"""First page, order."""


class Buddy:
    """The free blocks of one zone."""

    def __init__(self, zone: Mapping[str, int], counters: Counter[str]) -> None:
        self.zone, self.counters = zone, counters
        self.start, self.end = zone["start"], zone["start"] + zone["pages"]
        self.lists: dict[tuple[int, int], list[int]] = {(o, t): [] for o in range(ORDERS) for t in range(3)}
        self.types = dict.fromkeys(range(self.start >> 9, (self.end >> 9) + 1), MOVABLE)
        page = self.start + zone["used"]
        while page < self.end:
            order = max(o for o in range(ORDERS) if page % (1 << o) == 0 and page + (1 << o) <= self.end)
            self.lists[order, MOVABLE].append(page)
            page += 1 << order

    def free(self) -> int:
        return sum(len(pages) << order for (order, _), pages in self.lists.items())

    def list_with(self, page: int, order: int) -> list[int] | None:
        return next((self.lists[order, t] for t in range(3) if page in self.lists[order, t]), None)

    def smallest(self, order: int, kind: int) -> int | None:
        for current in range(order, ORDERS):
            if self.lists[current, kind]:
                page = self.lists[current, kind].pop(0)
                for half in reversed(range(order, current)):
                    self.lists[half, kind].insert(0, page + (1 << half))
                    self.counters["splits"] += 1
                return page
        return None

    def claim(self, order: int, kind: int) -> None:
        for current in reversed(range(order, ORDERS)):
            other = next((t for t in FALLBACKS[kind] if self.lists[current, t]), None)
            if other is None:
                continue
            if current < 4 and kind == MOVABLE:
                return
            page = self.lists[current, other][0]
            self.types |= dict.fromkeys(range(page >> 9, (page + (1 << current) - 1 >> 9) + 1), kind)
            if current >= 9:
                self.lists[current, other].remove(page)
                self.lists[current, kind].insert(0, page)
                return
            begin = max(self.start, page & ~511)
            for inside in range(begin, min(self.end, (page & ~511) + 512)):
                for size in range(ORDERS):
                    found = self.list_with(inside, size)
                    if found is not None:
                        found.remove(inside)
                        self.lists[size, kind].append(inside)
            return

    def take(self, order: int, kind: int) -> Block | None:
        page = self.smallest(order, kind)
        if page is None:
            self.counters["fallbacks"] += 1
            self.claim(order, kind)
            for one in (kind, *FALLBACKS[kind]):
                page = self.smallest(order, one) if page is None else page
        return None if page is None else (page, order)

    def give(self, block: Block) -> None:
        page, order = block
        kind = self.types[page >> 9]
        while order < ORDERS - 1:
            found = self.list_with(page ^ 1 << order, order)
            if found is None:
                break
            found.remove(page ^ 1 << order)
            if order >= 9:
                other = page ^ 1 << order
                self.types |= dict.fromkeys(range(other >> 9, (other + (1 << order) - 1 >> 9) + 1), kind)
            page &= ~(1 << order)
            order += 1
            self.counters["merges"] += 1
        above = (page & ~(1 << order)) ^ 2 << order
        last = order < 9 and self.list_with(above, order + 1) is not None
        self.lists[order, kind].insert(len(self.lists[order, kind]) if last else 0, page)


@dataclass
class Pcp:
    """struct per_cpu_pages."""

    zone: "Zone"
    batch: int
    high_min: int
    high_max: int
    high: int = 0
    count: int = 0
    alloc_factor: int = 0
    free_factor: int = 0
    free_count: int = 0
    previous_free_high_order: bool = False
    lists: list[list[Block]] = field(default_factory=lambda: [[] for _ in range(14)])
    counted: Counter[str] = field(default_factory=Counter)


class Zone:
    """One zone with its lock. Times are in ps."""

    def __init__(self, values: Mapping[str, int], counters: Counter[str]) -> None:
        self.values, self.counters = values, counters
        self.buddy = Buddy(values, counters)
        self.below_high = self.reclaim_active = self.reclaim_given = False
        self.free_at = 0
        self.last: int | None = None

    def look_at_watermarks(self, order: int = 0, *, given: bool) -> None:
        """Before each allocation, and after each drain."""
        free = self.buddy.free() - ((1 << order) - 1)
        if not given:
            self.below_high |= free <= self.values["high_watermark"]
            self.reclaim_active |= not self.reclaim_given and free <= self.values["low_watermark"]
        elif free > self.values["high_watermark"]:
            self.below_high = False
            self.reclaim_active &= self.reclaim_given

    def locked(
        self, costs: Mapping[str, int], cpu: int, time: int, taken: int, given: int, before: Counter[str]
    ) -> int:
        """The time at which the lock is free again, of a CPU that asked for it at `time`."""
        self.counters["acquisitions"] += 1
        work = costs["lock_ps"] + taken * costs["refill_block_ps"] + given * costs["drain_block_ps"]
        work += (self.counters["splits"] - before["splits"]) * costs["split_ps"]
        work += (self.counters["merges"] - before["merges"]) * costs["merge_ps"]
        if self.last not in (None, cpu):
            self.counters["handovers"] += 1
            work += costs["handover_ps"]
        self.last = cpu
        if self.free_at > time:
            self.counters["contended"] += 1
            self.counters["wait_ps"] += self.free_at - time
        self.counters["hold_ps"] += work
        self.counters["longest_hold_ps"] = max(self.counters["longest_hold_ps"], work)
        self.free_at = max(self.free_at, time) + work
        return self.free_at


def list_of(order: int, kind: int) -> int:
    return 12 + (kind == MOVABLE) if order > 3 else 3 * order + kind


def has_list(order: int) -> bool:
    return order <= 3 or order == 9
