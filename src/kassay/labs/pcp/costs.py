# SPDX-License-Identifier: GPL-2.0-only
"""Time for which the zone lock is held, from counted instructions: the defaults of a synthetic workload's simulation.

Counted by `kassay ladder page_fault debian:6.12 --set size=64MiB` (6.12.117, one CPU, 16384 pages a round) twice: with
auto-tuning, where every page comes from the PCP, and with vm.percpu_pagelist_high_fraction=100000, where every page
comes from the zone and goes back; the difference is the zone path's. docs/results/pcp-inputs.md has the functions.
"""

from collections.abc import Mapping
from types import MappingProxyType

INSTRUCTIONS: Mapping[str, int] = MappingProxyType(
    {"alloc": 502, "free": 270, "lock": 26, "refill_block": 217, "drain_block": 324, "split": 0, "merge": 0}
)
"""Instructions for each part of a page event. A refilled block includes one split, a drained block one merge: these
are the averages of the workload that was measured."""

INSTRUCTION_PS = 790
"""Time of an instruction in 1/1000 ns: 2.29 cycles at 2.9 GHz, as the robot's perf-stat rows have for page_fault2 on a
server of 224 CPUs (lore.kernel.org, 202310311001.edbc5817-oliver.sang@intel.com). An average over all code."""

HANDOVER_PS = 180_000
"""More when another CPU had the lock before: assumed, three cache lines of 60 ns each (lock, free list, a page)."""


def costs(instruction_ps: int = INSTRUCTION_PS) -> Mapping[str, int]:
    """Parameters of a run, by name: times in ps."""
    counted = {f"{name}_ps": max(count * instruction_ps, name in ("alloc", "free"))
               for name, count in INSTRUCTIONS.items()}  # fmt: skip
    return {**counted, "handover_ps": HANDOVER_PS}
