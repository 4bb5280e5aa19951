# SPDX-License-Identifier: GPL-2.0-only
"""A machine of the reference model: CPUs that allocate and free, one event after the other in the order of time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kassay.labs.pcp.engine import Config
from tests.pcp.reference import Block, Pcp, Zone, has_list, list_of
from tests.pcp.reference_policies import REFERENCE, Given


@dataclass
class Drain:
    """Rest of a drain: each `step` pages take the zone lock."""

    pcp: Pcp
    pages: int
    step: int
    list: int


class Machine:
    """All zones and PCPs of a Config. Each function returns the CPU's clock (ps) after it.

    drains: by CPU, what is still to be done by drain_step() before anything else."""

    def __init__(self, config: Config) -> None:
        self.run = config.run
        self.counters: Counter[str] = Counter()
        self.zones = [Zone(values, self.counters) for values in config.zones]
        self.policy = REFERENCE[config.policy]
        self.given = Given(config.run["batch_scale_max"], config.run["free_high_batch"], config.run["decay_shift"])
        self.drains: dict[int, Drain] = {}
        self.pcps: list[list[Pcp]] = [[self._pcp(zone) for zone in self.zones] for _ in range(config.run["cpus"])]

    def _pcp(self, zone: Zone) -> Pcp:
        values = zone.values
        return Pcp(zone, values["batch"], values["high_min"], values["high_max"], high=values["high_min"])

    def zone_of(self, page: int) -> int:
        return next(n for n, zone in enumerate(self.zones) if zone.buddy.start <= page < zone.buddy.end)

    def alloc(self, cpu: int, first: int, order: int, kind: int, clock: int) -> tuple[Block | None, int]:
        for number in (first, *(n for n in range(len(self.zones)) if n != first)):
            block, clock = self._alloc_from(cpu, number, order, kind, clock)
            if block is not None:
                self.counters["allocations"] += 1
                self.counters["allocated_pages"] += 1 << order
                return block, clock
        self.counters["failed"] += 1
        return None, clock

    def _alloc_from(self, cpu: int, number: int, order: int, kind: int, clock: int) -> tuple[Block | None, int]:
        zone, pcp = self.zones[number], self.pcps[cpu][number]
        zone.look_at_watermarks(order, given=False)
        if has_list(order):
            blocks = pcp.lists[list_of(order, kind)]
            pcp.free_factor >>= 1
            pcp.free_count >>= 1
            if not blocks:
                clock = self._refill(cpu, pcp, order, kind, clock)
            if blocks:
                pcp.count -= 1 << order
                return blocks.pop(0), clock
        before = self.counters.copy()
        block = zone.buddy.take(order, kind)
        self.counters["bypass_allocations"] += block is not None
        return block, zone.locked(self.run, cpu, clock, block is not None, 0, before)

    def _refill(self, cpu: int, pcp: Pcp, order: int, kind: int, clock: int) -> int:
        wanted, before = self.policy.alloc(pcp, order, self.given), self.counters.copy()
        blocks = [pcp.zone.buddy.take(order, kind) for _ in range(wanted)]
        found = [block for block in blocks if block is not None]
        self.counters["fallbacks"] -= max(0, blocks.count(None) - 1)  # the kernel asks once in vain
        pcp.lists[list_of(order, kind)] += found
        pcp.count += len(found) << order
        self.counters["refills"] += 1
        self.counters["refilled_pages"] += len(found) << order
        pcp.counted["refilled_pages"] += len(found) << order
        return pcp.zone.locked(self.run, cpu, clock, len(found), 0, before)

    def free(self, cpu: int, block: Block, kind: int, clock: int) -> int:
        page, order = block
        number = self.zone_of(page)
        zone, pcp = self.zones[number], self.pcps[cpu][number]
        self.counters["frees"] += 1
        self.counters["freed_pages"] += 1 << order
        if not has_list(order):
            before = self.counters.copy()
            zone.buddy.give(block)
            self.counters["bypass_frees"] += 1
            return zone.locked(self.run, cpu, clock, 0, 1, before)
        pcp.alloc_factor >>= 1
        pcp.lists[list_of(order, kind)].insert(0, block)
        pcp.count += 1 << order
        pages = self.policy.free(pcp, order, self.given)
        if pages is None:
            return clock
        step = pcp.batch if self.policy.batched else pages
        self.drains[cpu] = Drain(pcp, pages, step, list_of(order, kind))
        return self.drain_step(cpu, clock)

    def drain_step(self, cpu: int, clock: int) -> int:
        """One acquisition of the zone lock by a CPU that has something in drains."""
        drain = self.drains[cpu]
        pcp = drain.pcp
        before, blocks = self.counters.copy(), self._taken(pcp, min(drain.pages, drain.step), drain.list)
        for block in blocks:
            pcp.zone.buddy.give(block)
        moved = sum(1 << order for _, order in blocks)
        self.counters["drains"] += 1
        self.counters["drained_pages"] += moved
        pcp.counted["drained_pages"] += moved
        clock = pcp.zone.locked(self.run, cpu, clock, 0, len(blocks), before)
        drain.pages -= drain.step
        if drain.pages <= 0 or not pcp.count:
            del self.drains[cpu]
            pcp.zone.look_at_watermarks(given=True)
        return clock

    @staticmethod
    def _taken(pcp: Pcp, pages: int, first: int) -> Sequence[Block]:
        found: list[Block] = []
        left = min(pages, pcp.count)
        index = first
        while left > 0:
            while left > 0 and pcp.lists[index]:
                block = pcp.lists[index].pop()
                found.append(block)
                left -= 1 << block[1]
                pcp.count -= 1 << block[1]
            index = (index + 1) % 14
        return found

    def vmstat(self, cpu: int, clock: int) -> int:
        self.counters["vmstat_runs"] += 1
        for pcp in self.pcps[cpu]:
            pages = self.policy.decay(pcp, self.given)
            below_high, reclaim = pcp.zone.below_high, pcp.zone.reclaim_active
            before = self.counters["drained_pages"], self.counters["drains"]
            if pages:
                self.drains[cpu] = Drain(pcp, pages, pcp.batch, 0)
            while cpu in self.drains:
                clock = self.drain_step(cpu, clock)
            pcp.zone.below_high, pcp.zone.reclaim_active = below_high, reclaim  # the worker does not look at them
            self.counters["decay_pages"] += self.counters["drained_pages"] - before[0]
            self.counters["decay_drains"] += self.counters["drains"] - before[1]
        return clock


def counted(machine: Machine) -> Mapping[str, int]:
    """The counters that the simulator has as well."""
    machine.counters["free_high"] = sum(pcp.counted["free_high"] for row in machine.pcps for pcp in row)
    return machine.counters
