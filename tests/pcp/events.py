# SPDX-License-Identifier: GPL-2.0-only
"""Files of page events (kassay-pages/1), written by hand, and the reference model that runs them."""

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from kassay.labs.pcp.engine import Config
from tests.pcp.reference import MOVABLE, Block
from tests.pcp.reference_machine import Machine

ALLOC, FREE, REFILL, DRAIN, VMSTAT, RECLAIM = range(6)


class Event(NamedTuple):
    """One record. For VMSTAT only time and cpu count; for RECLAIM order is 1 at its begin and 0 at its end."""

    time_ns: int
    kind: int
    cpu: int
    pfn: int = 0
    order: int = 0
    type: int = MOVABLE

    def packed(self) -> bytes:
        return struct.pack("<QBBHI", self.time_ns, self.kind << 4 | self.order, self.type, self.cpu, self.pfn)


def write(path: Path, events: Iterable[Event]) -> Path:
    path.write_bytes(b"kassay-pages/1\nkernel none\n\n" + b"".join(event.packed() for event in events))
    return path


def reference(config: Config, events: Iterable[Event]) -> Machine:
    """The reference model after these events: no page is freed that they have not allocated."""
    machine = Machine(config)
    where: dict[int, Block] = {}
    clocks = [0] * config.run["cpus"]
    for event in events:
        cpu = event.cpu
        clocks[cpu] = max(clocks[cpu], event.time_ns * 1000)
        if event.kind == ALLOC:
            zone = machine.zone_of(event.pfn)
            block, clocks[cpu] = machine.alloc(cpu, zone, event.order, event.type, clocks[cpu])
            if block is not None:
                where[event.pfn] = block
        elif event.kind == FREE and event.pfn in where:
            clocks[cpu] = machine.free(cpu, where.pop(event.pfn), event.type, clocks[cpu])
            while cpu in machine.drains:
                clocks[cpu] = machine.drain_step(cpu, clocks[cpu])
        elif event.kind == VMSTAT:
            clocks[cpu] = machine.vmstat(cpu, clocks[cpu])
        elif event.kind == RECLAIM:
            zone_state = machine.zones[machine.zone_of(event.pfn)]
            zone_state.reclaim_given, zone_state.reclaim_active = True, bool(event.order)
    return machine
