# SPDX-License-Identifier: GPL-2.0-only
"""The generator as plainly as possible: always the CPU with the earliest clock does its next page event."""

from collections import deque

from kassay.labs.pcp.engine import Config
from tests.pcp.reference import MOVABLE, Block
from tests.pcp.reference_machine import Machine


class Task:
    """The one task of a CPU, of a group without chance: movable pages of order 0, freed in the order of allocation."""

    def __init__(self, depth: int) -> None:
        self.depth = self.left = depth
        self.owned: deque[Block] = deque()
        self.allocating = True


def run_tasks(config: Config) -> Machine:
    """Up to config.run["duration_ns"]; a task on each CPU of the first group."""
    machine, group, end = Machine(config), config.groups[0], config.run["duration_ns"] * 1000
    tasks = [Task(group["depth_min"]) for _ in range(config.run["cpus"])]
    clocks, after = [0] * len(tasks), [0] * len(tasks)
    while min(clocks) < end:
        cpu = min(range(len(tasks)), key=lambda n: clocks[n])
        task = tasks[cpu]
        if cpu in machine.drains:
            clocks[cpu] = machine.drain_step(cpu, clocks[cpu])
            clocks[cpu] += 0 if cpu in machine.drains else after[cpu]
        elif task.allocating:
            block, clocks[cpu] = machine.alloc(cpu, 0, 0, MOVABLE, clocks[cpu])
            if block is not None:
                task.owned.append(block)
            task.left -= 1
            clocks[cpu] += config.run["alloc_ps"] + group["alloc_ns"] * 1000
            if not task.left:
                task.allocating = False
                clocks[cpu] += group["hold_ns"] * 1000
        else:
            clocks[cpu] = machine.free(cpu, task.owned.popleft(), MOVABLE, clocks[cpu])
            after[cpu] = config.run["free_ps"] + group["free_ns"] * 1000
            if not task.owned:
                task.allocating, task.left = True, task.depth
                after[cpu] += group["idle_ns"] * 1000
            clocks[cpu] += 0 if cpu in machine.drains else after[cpu]
    return machine
