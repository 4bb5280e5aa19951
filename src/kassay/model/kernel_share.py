# SPDX-License-Identifier: GPL-2.0-only
"""The part of a value that the kernel executed, by the entry into it: a system call, a fault, an interrupt."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.records import Record, Setting
from kassay.supply.arches import FAULT, INTERRUPT, PAGE_FAULT, SYSTEM_CALL, TASK_START

SHARED, RUNNER = "entry code", "kassay's runner"
COMMON = "entry and exit"
"""Name of the part of SHARED that is not on the way back to user mode."""
ENTRIES = {
    SYSTEM_CALL: "from the first instruction of the system call's function to its last, with all that they call",
    FAULT: "an exception in user mode, such as a page fault, from its first instruction to the return",
    INTERRUPT: "an interrupt, with the softirqs and the task switch that it ends with",
    TASK_START: "a new task, from the first instruction that it runs to its first in user mode",
    SHARED: "code of entry and exit that all system calls have in common, with what the kernel does on its way back to "
    "user mode: deferred work, signals, a task switch",
    RUNNER: "clone() and wait4() with which kassay starts a program and waits for it; they are not the program's calls",
}
"""Every kind of entry, with its meaning. What is executed in a fault inside of a system call is the system call's."""


DIRECT = (SYSTEM_CALL, FAULT)
"""Entries that the program itself causes, at known points of it."""


class EntryCost(Record, frozen=True, kw_only=True):
    """Instructions that the kernel executed for one entry, summed over the chosen rounds."""

    kind: str
    """A word of ENTRIES."""
    name: str
    """Name of the system call ("mprotect"), the fault ("page fault"), the interrupt, or of the work on the way back
    to user mode."""
    count: int
    """Instructions + string iterations, those of deferred work included."""
    in_faults: int = 0
    """Part of count: executed in faults that came in meanwhile. For a fault, all of count."""
    times: int = 0
    """Number of entries; 0 if they are not counted."""
    deferred: int = 0
    """Part of count: deferred work."""

    @property
    def key(self) -> tuple[str, str]:
        """Identity of an entry on all kernels."""
        return self.kind, self.name

    @property
    def text(self) -> str:
        """ "execve", "page fault", "fault: divide error", "device interrupt", "task start"."""
        if self.kind == FAULT and self.name != PAGE_FAULT:
            return f"{self.kind}: {self.name}"
        if self.kind == INTERRUPT and self.kind not in self.name:
            return f"{self.kind}: {self.name}"
        return self.name or self.kind


class FunctionShare(Record, frozen=True, kw_only=True):
    """One of the kernel's functions with the largest count, in contexts that belong to the workload."""

    function: str
    place: str
    count: int
    calls: int


class KernelShare(AtPoint, frozen=True, kw_only=True):
    """The parts of a primary metric's value on one kernel, by who executed them.

    count and all other counts are instructions + string iterations in `operations` operations together, of the rounds
    that the value stands for. user + kernel + interrupt + deferred + other + idle + unresolved = count.

    kernel, interrupt and deferred (work-item, rcu-callback and irq-work together) are contexts of a profile, executed
    for the workload. Together they are the kernel share.
    """

    label: str
    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    operations: int
    count: int
    user: int
    kernel: int
    interrupt: int
    other: int
    """Counts of other tasks."""
    idle: int
    """Counts of the idle task, and guest time without an instruction."""
    unresolved: int
    functions: tuple[FunctionShare, ...]
    """Functions of the kernel, largest first, at most LARGEST."""
    entries: tuple[EntryCost, ...] | None = None
    """Entries, largest first. Their counts add up to kernel + interrupt + deferred. None if no run carried call
    stacks."""
    deferred: int = 0

    @property
    def share(self) -> float:
        """Share of the whole value that the kernel executed for the workload, interrupts and deferred work included."""
        return self.of_kernel / self.count if self.count else 0.0

    @property
    def of_kernel(self) -> int:
        """Instructions of the kernel for the workload: at once, in interrupts and as deferred work."""
        return self.kernel + self.interrupt + self.deferred

    def by_entry(self) -> dict[tuple[str, str], EntryCost]:
        """The entries by kind and name; empty without call stacks."""
        return {entry.key: entry for entry in self.entries or ()}


LARGEST = 10
