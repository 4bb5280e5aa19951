# SPDX-License-Identifier: GPL-2.0-only
"""Branches and loops of one function: how often each way was taken, and how often each loop iterated."""

from kassay.model.lines import Frame
from kassay.model.profile import Profile
from kassay.model.records import Record

BRANCHES_SCHEMA = "kassay-branches/1"


class Times(Record, frozen=True, kw_only=True):
    """Number of times, summed over the chosen rounds. `least` and `most` are equal where it is exact."""

    least: int
    most: int

    @property
    def is_exact(self) -> bool:
        return self.least == self.most


class CodePlace(Record, frozen=True, kw_only=True):
    """Place of an instruction."""

    symbol: str
    """Function of the symbol table that it is compiled into."""
    offset: int
    """Bytes from the function's start."""
    frames: tuple[Frame, ...] = ()
    """Source lines, innermost function first; empty without line tables."""


class Branch(Record, frozen=True, kw_only=True):
    """One conditional branch that was executed."""

    place: CodePlace
    instruction: str
    """Mnemonic, such as "je"."""
    leads_to: int
    """Offset of its target from the start of `place.symbol`."""
    executed: int
    taken: Times
    passed: Times
    """Number of times that the next instruction followed."""


class Loop(Record, frozen=True, kw_only=True):
    """One loop that was executed. Nested loops have an entry each."""

    place: CodePlace
    """First instruction of the loop, which every iteration executes."""
    entered: Times
    """Number of times that the loop was entered from outside."""
    iterations: int
    """Executions of the first instruction."""


class FunctionBranches(Record, frozen=True, kw_only=True):
    """Branches and loops of one function on one kernel, in order of their addresses."""

    branches: tuple[Branch, ...]
    loops: tuple[Loop, ...]
    calls: int
    """Executions of the function's first instruction; 0 for a function that is inlined everywhere."""
    has_lines: bool
    """True if the run kept line tables, which also find inlined copies of the function."""


class KernelBranches(Record, frozen=True, kw_only=True):
    """The same with what the counts are summed over."""

    kernel: str
    metric: str
    unit: str
    """Unit of a report, such as "instructions/page". The counts are per page then."""
    operations: int
    rounds: tuple[int, ...]
    """Rounds that are summed, from 0."""
    where: str
    """Setting, such as "setting 1 of 4: size=256KiB"; "" if there is only one."""
    found: FunctionBranches

    @property
    def operation(self) -> str:
        return self.unit.partition("/")[2]


def of_kernel(profile: Profile, unit: str, where: str, found: FunctionBranches) -> KernelBranches:
    """profile: of the same kernel and rounds."""
    return KernelBranches(
        kernel=profile.kernel, metric=profile.phase, unit=unit, operations=profile.operations, rounds=profile.rounds,
        where=where, found=found,
    )  # fmt: skip


class BranchReport(Record, frozen=True, kw_only=True):
    """Answer of `kassay profile --branches`."""

    function: str
    kernels: tuple[KernelBranches, ...]
    kassay_version: str
    schema: str = BRANCHES_SCHEMA
