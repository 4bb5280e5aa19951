# SPDX-License-Identifier: GPL-2.0-only
"""Many workloads by many kernels at a glance, and which functions changed in several of them at once."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.records import Record, Setting


class OverviewCell(Record, frozen=True, kw_only=True):
    """One kernel in one row. value: of the row's unit; None when no run was admitted.

    change, verdict, evidence: against `since`, by default the kernel of the cell before it; None and "" in the first.
    """

    kernel: str
    value: float | None
    change: float | None = None
    since: str = ""
    verdict: str = ""
    evidence: str = ""


class OverviewRow(AtPoint, frozen=True, kw_only=True):
    """One workload at one setting in its primary metric; a cell for each kernel, in order.

    change, verdict: of the last kernel against the first, None and "" where they were not compared, or are the two
    kernels of the only pair.
    """

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    cells: tuple[OverviewCell, ...]
    change: float | None = None
    verdict: str = ""


class CauseRow(Record, frozen=True, kw_only=True):
    """Effect of a function's change on one workload: delta per operation of its unit, share of base's whole value.

    base_calls, head_calls: entries into the function per operation.
    """

    workload: str
    settings: tuple[Setting, ...]
    metric: str
    unit: str
    delta: float
    share: float
    base_calls: float
    head_calls: float


class Cause(Record, frozen=True, kw_only=True):
    """One function (with the functions of its group) that changed between two neighbouring kernels.

    callees: further functions of its groups, at most. was: the function whose place it took, whose cost is taken off;
    "" for a function that both kernels have. per_call: instructions more in each call, where that is the same
    in all rows; None elsewhere. rows: every workload in which it makes at least 0.5 % of the whole value, largest share
    first.
    """

    function: str
    place: str
    context: str
    base: str
    head: str
    callees: int
    was: str = ""
    per_call: float | None
    rows: tuple[CauseRow, ...]

    @property
    def workloads(self) -> int:
        """How many workloads it is in."""
        return len({row.workload for row in self.rows})


class Overview(Record, frozen=True, kw_only=True):
    """kernels: as findings call them, in order. causes: those in most workloads first."""

    kernels: tuple[str, ...]
    rows: tuple[OverviewRow, ...]
    causes: tuple[Cause, ...]
