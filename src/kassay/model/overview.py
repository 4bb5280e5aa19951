# SPDX-License-Identifier: GPL-2.0-only
"""Many workloads by many kernels at a glance, and which functions changed in several of them at once."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.records import Record, Setting


class OverviewCell(Record, frozen=True, kw_only=True):
    """One kernel in one row."""

    kernel: str
    value: float | None
    """Of the row's unit; None when no run was admitted."""
    change: float | None = None
    since: str = ""
    verdict: str = ""
    evidence: str = ""
    """`change`/`verdict`/`evidence`: Against `since`, by default the kernel of the cell before it; None and "" in the
    first."""


class OverviewRow(AtPoint, frozen=True, kw_only=True):
    """One workload at one setting in its primary metric; a cell for each kernel, in order."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    cells: tuple[OverviewCell, ...]
    change: float | None = None
    verdict: str = ""
    """`change`/`verdict`: Of the last kernel against the first, None and "" where they were not compared, or are the
    two kernels of the only pair."""


class CauseRow(Record, frozen=True, kw_only=True):
    """Effect of a function's change on one workload: delta per operation of its unit, share of base's whole value."""

    workload: str
    settings: tuple[Setting, ...]
    metric: str
    unit: str
    delta: float
    share: float
    base_calls: float
    head_calls: float
    """`base_calls`/`head_calls`: Entries into the function per operation."""


class Cause(Record, frozen=True, kw_only=True):
    """One function (with the functions of its group) that changed between two neighbouring kernels."""

    function: str
    place: str
    context: str
    base: str
    head: str
    callees: int
    """Further functions of its groups, at most."""
    was: str = ""
    """The function whose place it took, whose cost is taken off; "" for a function that both kernels have."""
    per_call: float | None
    """Instructions more in each call, where that is the same in all rows; None elsewhere."""
    rows: tuple[CauseRow, ...]
    """Every workload in which it makes at least 0.5 % of the whole value, largest share first."""

    @property
    def workloads(self) -> int:
        """How many workloads it is in."""
        return len({row.workload for row in self.rows})


class Overview(Record, frozen=True, kw_only=True):
    """TODO."""

    kernels: tuple[str, ...]
    """As findings call them, in order."""
    rows: tuple[OverviewRow, ...]
    causes: tuple[Cause, ...]
    """Those in most workloads first."""
