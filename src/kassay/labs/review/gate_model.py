# SPDX-License-Identifier: GPL-2.0-only
"""The answer of `kassay ci`: every cell of a suite on two revisions, and which of them are over their limit."""

from kassay.labs.review.model import Cell, KernelSide, Left
from kassay.model.finding import CHANGES
from kassay.model.records import Record

SCHEMA = "kassay-ci/1"
EQUAL = "equal-to-the-digit"
"""Verdict of a phase with the same count in every steady round on both kernels."""
NOT_MEASURED = "not-measured"
"""Verdict of a phase that differs and that the budget left undone."""
DECIDED = (EQUAL, "equivalent", *CHANGES)
"""Verdicts that tell on which side of its limit a phase is."""


class Limit(Record, frozen=True, kw_only=True):
    """One entry of the file of limits."""

    workload: str
    limit: float
    """Largest change that passes, as a share: 0.03 is 3 %."""
    reason: str
    setting: str = ""
    """Words NAME=VALUE that the setting has, such as "order=9"; empty for every setting."""
    phase: str = ""
    """Name of the phase; empty for every phase."""


class GateCell(Record, frozen=True, kw_only=True):
    """One phase of one setting, with its limit."""

    cell: Cell
    limit: float
    over: bool
    accepted: str = ""
    """Reason of the entry that the limit is from; empty for --fail-over."""
    path: str = ""
    """File of a changed line that it executed; empty if none is known."""
    line: int = 0


class Gate(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    command: str
    base_name: str
    """Revision, as the user wrote it."""
    head_name: str
    base: KernelSide
    head: KernelSide
    suite: str
    machine: str
    emulator: str
    fail_over: float
    allowed: tuple[str, ...] = ()
    """Workloads that may have no verdict (--allow-refused)."""
    same_image: bool = False
    cells: tuple[GateCell, ...] = ()
    impossible: tuple[Left, ...] = ()
    """Workloads that base cannot run, either."""
    failed: tuple[Left, ...] = ()
    """Workloads that run on base and fail on head."""
    left: tuple[Left, ...] = ()
    """Settings that differ, and that the budget left unmeasured."""
    unused: tuple[Limit, ...] = ()
    """Entries of the file of limits that decided no phase."""
    limits_added: tuple[Limit, ...] = ()
    """Entries that the range itself adds to the file of limits, or changes."""
    limits_removed: tuple[Limit, ...] = ()
    """Entries that the range removes from it, or changes."""
    seconds: float = 0.0
    schema: str = SCHEMA

    @property
    def over(self) -> tuple[GateCell, ...]:
        """Phases over their limit, largest change first."""
        return tuple(sorted((c for c in self.cells if c.over), key=lambda c: -(c.cell.change or 0.0)))
