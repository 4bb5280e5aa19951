# SPDX-License-Identifier: GPL-2.0-only
"""Counts inside the region of interest, by function and context, of chosen rounds of one run."""

import re
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.model.kernel_share import EntryCost
from kassay.model.lines import LineTable
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import Record

MODES = {
    "none": "no profile",
    "counts": "per block: executions, string iterations, indirect calls",
    "stacks": "counts, and a call tree with the cost of each path",
    "memory": "counts, and loads and stores of each block",
}
TRACE = "trace"
"""The mode of the further run that --predict asks for: counts, and the stream of what chosen rounds executed."""
PROFILES = ("auto", *MODES)
"""Profiles that an experiment may ask for.

auto: with exact counts, call stacks in the first plain run of a cell and counts in the others. With other clocks, none.
"""

CONTEXTS = {
    "user": "the workload's own code in user mode",
    "kernel": "kernel code that runs for the workload: system calls and faults",
    "interrupt": "interrupts, and the softirqs they end with, whatever they interrupted",
    "other": "any other task, in user or kernel mode",
    "idle": "the idle task",
    "work-item": "work items that the workload queued, run by a kworker",
    "rcu-callback": "RCU callbacks that the workload queued, run after a grace period",
    "irq-work": "irq_work that the workload queued",
    "timer": "functions of timers that the workload armed",
}
DEFERRED = ("work-item", "rcu-callback", "irq-work", "timer")
"""Contexts of deferred work: the kernel does it later, for the task that queued it."""
NO_SYMBOL = "[no symbol]"
_CLONE = re.compile(r"(?:\.(?:isra|part|constprop|cold|llvm|lto_priv)(?:\.\d+)*)+$")


def base_name(function: str) -> str:
    """The function that a compiler's copy was made of: "foo.constprop.0.isra.3" -> "foo"."""
    return _CLONE.sub("", function) or function


class NoProfile(BadInput):
    """A run has no profile that can be read. reason: why."""

    def __init__(self, why: Reason, remedy: str = "") -> None:
        super().__init__(reason_text(why), remedy)
        self.reason = why


class LineCount(Record, frozen=True, kw_only=True):
    """One source line's part of a function's cost, summed over the chosen rounds."""

    function: str
    """Function whose source the line is: the one it is compiled into, or one that is inlined there."""
    file: str | None
    """Path from the top of the sources; None if it is not known."""
    line: int | None
    """Number from 1; None if it is not known."""
    count: int
    """Instructions and string iterations."""


class FunctionCost(Record, frozen=True, kw_only=True):
    """One function in one context, summed over the chosen rounds.

    place: "kernel", a module's name, or "program". instructions: executed, a repeated string
    instruction counted once. iterations: of repeated string instructions, beyond the first each:
    where instructions are counted an iteration takes as long as an instruction, so the metric counts instructions +
    iterations. calls: executions of the function's first instruction. atomics: executed atomic
    read-modify-writes. tlb: executed instructions that maintain TLB or page-table registers.
    loads, stores: memory accesses, None unless the run carried the profile "memory".
    lines: source lines that add up to instructions + iterations; empty without line tables.
    """

    function: str
    place: str
    context: str
    instructions: int
    iterations: int = 0
    calls: int = 0
    atomics: int = 0
    tlb: int = 0
    loads: int | None = None
    stores: int | None = None
    lines: tuple[LineCount, ...] = ()


class CallEdge(Record, frozen=True, kw_only=True):
    """Calls from one function to another in the chosen rounds. Thunks are left out: the edge leads to their target.

    indirect: through a pointer. tail: by a jump to another function's entry.
    """

    caller: str
    callee: str
    context: str
    calls: int
    indirect: bool = False
    tail: bool = False


class StackCost(Record, frozen=True, kw_only=True):
    """Own cost of one call path. path: functions from the outermost inwards, the first a word of CONTEXTS."""

    path: tuple[str, ...]
    count: int


class Profile(Record, frozen=True, kw_only=True):
    """One phase of one run. Sum of (instructions + iterations) over functions + unresolved + idle = ticks.

    rounds: which rounds (from 0) are summed, as those that the value of the finding stands for.
    operations: of these rounds together. ticks: what the guest's own clock says of them; None without
    an exact clock. unresolved: instructions that an
    instruction stream cut short at an unknown place leaves open. idle: guest time that passed without
    an instruction. problem: why the profile may not be used ("" when it may): a disagreement with the
    guest's clock, a symbol table of another image. stacks: None unless the run carried call stacks; entries likewise.
    """

    kernel: str
    run: str
    mode: str
    phase: str
    rounds: tuple[int, ...]
    operations: int
    ticks: int | None
    functions: tuple[FunctionCost, ...]
    edges: tuple[CallEdge, ...]
    unresolved: int = 0
    idle: int = 0
    stacks: tuple[StackCost, ...] | None = None
    problem: str = ""
    entries: tuple[EntryCost, ...] | None = None


class DeferredWork(Record, frozen=True, kw_only=True):
    """Deferred work of one kind that the workload queued in the measured region of one run."""

    context: str
    """A word of DEFERRED."""
    count: int
    """Instructions + string iterations that it executed inside the region."""
    queued: int
    """Objects (work items, RCU callbacks, irq_works) that the workload queued."""
    outstanding: int
    """Objects among the queued ones that had not finished when the region ended."""


class RegionSummary(Record, frozen=True, kw_only=True):
    """The whole measured region of one run: what the gate asks. counts: instructions + iterations by context.

    others: largest functions of the contexts other and idle, with their counts, at most five.
    problem: as in Profile. tasks: tasks seen besides the workload's own and the idle ones. unreported: what other tasks
    executed in intervals of a round that the workload reports no phase for, part of counts. deferred: every kind of
    deferred work that could be followed in this kernel; none in files of an earlier plugin.
    """

    mode: str
    counts: tuple[tuple[str, int], ...]
    others: tuple[tuple[str, int], ...] = ()
    tasks: int = 0
    idle: int = 0
    unresolved: int = 0
    problem: str = ""
    unreported: int = 0
    deferred: tuple[DeferredWork, ...] = ()


class Executed(NamedTuple):
    """Instructions that one kernel executed."""

    places: dict[int, int]
    """Address of each instruction, and how often it was executed."""
    blocks: tuple[tuple[int, bytes], ...]
    """Address and code of the translation blocks that these lie in."""
    lines: LineTable | None = None
    """Source lines of the kernel's instructions; None without line tables."""
