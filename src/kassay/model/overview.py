# SPDX-License-Identifier: GPL-2.0-only
"""Many workloads by many kernels at a glance, and which functions changed in several of them at once."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.records import Record, Setting


class OverviewCell(Record, frozen=True, kw_only=True):
    """One kernel in one row."""

    kernel: str
    value: float | None
    """Value in the row's unit; None when no run was admitted."""
    change: float | None = None
    """Change against `since`; None in the first cell."""
    since: str = ""
    """Kernel that this one is compared with, by default that of the cell before."""
    verdict: str = ""
    """Verdict on the change; "" in the first cell."""
    evidence: str = ""
    """Evidence for the verdict; "" in the first cell."""


class OverviewRow(AtPoint, frozen=True, kw_only=True):
    """One workload at one setting in its primary metric; a cell for each kernel, in order."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    cells: tuple[OverviewCell, ...]
    change: float | None = None
    """Change of the last kernel against the first. None if they were not compared or are the only pair."""
    verdict: str = ""
    """Verdict on `change`; "" if there is none."""


class CauseRow(AtPoint, frozen=True, kw_only=True):
    """Effect of a function's change on one workload: delta per operation of its unit, share of base's whole value."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    delta: float
    share: float
    base_calls: float
    """Entries into the function per operation on base."""
    head_calls: float
    """Entries into the function per operation on head."""


class Cause(Record, frozen=True, kw_only=True):
    """One function (with the functions of its group) that changed between two neighbouring kernels."""

    function: str
    place: str
    context: str
    base: str
    head: str
    callees: int
    """Largest number of further functions in its groups."""
    was: str = ""
    """Function that this one replaces, whose cost is subtracted; "" for a function that both kernels have."""
    per_call: float | None
    """Additional instructions of each call, if they are the same in all rows; else None."""
    rows: tuple[CauseRow, ...]
    """Every workload in which it makes at least 0.5 % of the whole value, largest share first."""

    @property
    def workloads(self) -> int:
        """How many workloads it is in."""
        return len({row.workload for row in self.rows})


class Overview(Record, frozen=True, kw_only=True):
    """Table of workloads by kernels, with the functions that caused the changes."""

    kernels: tuple[str, ...]
    """Names of the kernels as in findings, in order."""
    rows: tuple[OverviewRow, ...]
    causes: tuple[Cause, ...]
    """Causes, those in most workloads first."""
