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

    The metric counts instructions + iterations: where instructions are counted, an iteration takes as long as an
    instruction.
    """

    function: str
    place: str
    """ "kernel", a module's name, or "program"."""
    context: str
    instructions: int
    """Executed instructions. A repeated string instruction is counted once."""
    iterations: int = 0
    """Iterations of repeated string instructions, beyond the first of each."""
    calls: int = 0
    """Executions of the function's first instruction."""
    atomics: int = 0
    """Executed atomic read-modify-writes."""
    tlb: int = 0
    """Executed instructions that maintain TLB or page-table registers."""
    loads: int | None = None
    """Memory accesses; None unless the run carried the profile "memory"."""
    stores: int | None = None
    """Memory accesses; None unless the run carried the profile "memory"."""
    lines: tuple[LineCount, ...] = ()
    """Source lines that add up to instructions + iterations; empty without line tables."""


class CallEdge(Record, frozen=True, kw_only=True):
    """Calls from one function to another in the chosen rounds. Thunks are left out: the edge leads to their target."""

    caller: str
    callee: str
    context: str
    calls: int
    indirect: bool = False
    """True for a call through a pointer."""
    tail: bool = False
    """True for a jump to another function's entry."""


class StackCost(Record, frozen=True, kw_only=True):
    """Own cost of one call path."""

    path: tuple[str, ...]
    """Functions from the outermost inwards. The first is a word of CONTEXTS."""
    count: int


class Profile(Record, frozen=True, kw_only=True):
    """One phase of one run. Sum of (instructions + iterations) over functions + unresolved + idle = ticks."""

    kernel: str
    run: str
    mode: str
    phase: str
    rounds: tuple[int, ...]
    """Rounds that are summed, from 0: those that the value of the finding stands for."""
    operations: int
    """Operations of these rounds together."""
    ticks: int | None
    """Ticks of the guest's own clock in these rounds; None without an exact clock."""
    functions: tuple[FunctionCost, ...]
    edges: tuple[CallEdge, ...]
    unresolved: int = 0
    """Instructions that are not known, because an instruction stream was cut short at an unknown place."""
    idle: int = 0
    """Guest time that passed without an instruction."""
    stacks: tuple[StackCost, ...] | None = None
    """None unless the run carried call stacks."""
    problem: str = ""
    """Reason why the profile may not be used, such as a disagreement with the guest's clock, or a symbol table of
    another image. "" if it may be used."""
    entries: tuple[EntryCost, ...] | None = None
    """None unless the run carried call stacks."""


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
    """The whole measured region of one run, for the gate."""

    mode: str
    counts: tuple[tuple[str, int], ...]
    """Instructions + iterations by context."""
    others: tuple[tuple[str, int], ...] = ()
    """Largest functions of the contexts other and idle, with their counts, at most five."""
    tasks: int = 0
    """Number of tasks seen besides the workload's own and the idle ones."""
    idle: int = 0
    unresolved: int = 0
    problem: str = ""
    """Reason why the profile may not be used, as in Profile."""
    unreported: int = 0
    """Part of counts: executed by other tasks in intervals of a round that the workload reports no phase for."""
    deferred: tuple[DeferredWork, ...] = ()
    """Every kind of deferred work that could be followed in this kernel; none in files of an earlier plugin."""


class Executed(NamedTuple):
    """Instructions that one kernel executed."""

    places: dict[int, int]
    """Address of each instruction, and how often it was executed."""
    blocks: tuple[tuple[int, bytes], ...]
    """Address and code of the translation blocks that these lie in."""
    lines: LineTable | None = None
    """Source lines of the kernel's instructions; None without line tables."""
