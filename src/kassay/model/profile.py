# SPDX-License-Identifier: GPL-2.0-only
"""Counts inside the region of interest, by function and context, of chosen rounds of one run."""

import re
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.model.kernel_share import EntryCost
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
"""What an experiment may ask for. auto: of exact counts stacks in the first plain run of a cell and counts in the
others; nothing under other clocks."""

CONTEXTS = {
    "user": "the workload's own code in user mode",
    "kernel": "kernel code that runs for the workload: system calls and faults",
    "interrupt": "interrupts, and the softirqs they end with, whatever they interrupted",
    "other": "any other task, in user or kernel mode",
    "idle": "the idle task",
}
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


class FunctionCost(Record, frozen=True, kw_only=True):
    """One function in one context, summed over the chosen rounds.

    place: "kernel", a module's name, or "program". instructions: executed, a repeated string
    instruction counted once. iterations: of repeated string instructions, beyond the first each:
    where instructions are counted an iteration takes as long as an instruction, so the metric counts instructions +
    iterations. calls: executions of the function's first instruction. atomics: executed atomic
    read-modify-writes. tlb: executed instructions that maintain TLB or page-table registers.
    loads, stores: memory accesses, None unless the run carried the profile "memory".
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
    """What one call path cost itself. path: functions from the outermost inwards, the first a word of CONTEXTS."""

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


class RegionSummary(Record, frozen=True, kw_only=True):
    """The whole measured region of one run: what the gate asks. counts: instructions + iterations by context.

    others: largest functions of the contexts other and idle, with their counts, at most five.
    problem: as in Profile. tasks: tasks seen besides the workload's own and the idle ones. unreported: what other tasks
    executed in intervals of a round that the workload reports no phase for, part of counts.
    """

    mode: str
    counts: tuple[tuple[str, int], ...]
    others: tuple[tuple[str, int], ...] = ()
    tasks: int = 0
    idle: int = 0
    unresolved: int = 0
    problem: str = ""
    unreported: int = 0


class Executed(NamedTuple):
    """What one kernel executed. places: address of each instruction -> how often. blocks: address and code of the
    translation blocks these lie in."""

    places: dict[int, int]
    blocks: tuple[tuple[int, bytes], ...]
