# SPDX-License-Identifier: GPL-2.0-only
"""Predicted cost of a change in time on a CPU, by a model over the exact trace: with an interval, or refused."""

from kassay.model.reason import Reason
from kassay.model.records import Record

TIMINGS = "timings"
"""Folder of a run directory with the timing files that its user named."""
CAUSES = {
    "width": "issue width",
    "dependency": "dependencies",
    "ports": "ports",
    "atomics": "atomics",
    "serialising": "serialising instructions",
    "misprediction": "mispredictions",
    "l1": "L1",
    "l2": "L2",
    "l3": "L3",
    "memory": "memory",
    "tlb": "page walks",
    "stores": "stores",
    "strings": "string instructions",
    "rings": "ring transitions",
    "icache": "instruction cache",
    "unknown": "instructions without data",
}
"""Causes for which time passes, in the order in which they are listed, with their names in sentences."""

WAITING = (
    "atomics", "serialising", "misprediction", "l2", "l3", "memory", "tlb", "stores", "strings", "rings", "icache",
)  # fmt: skip
"""Causes that instructions wait for; other instructions that are executed meanwhile cost no time."""

PREDICTED = "predicted"
"""The evidence of every prediction. It is no verdict."""


class PredictedCause(Record, frozen=True, kw_only=True):
    """One cause's share of the predicted time, ns per operation."""

    cause: str
    """A word of CAUSES."""
    base_ns: float
    head_ns: float
    base_instructions: float = 0.0
    """Instructions per operation on base that waited for the cause, or that were done in its shadow."""
    head_instructions: float = 0.0
    """Instructions per operation on head that waited for the cause, or that were done in its shadow."""

    @property
    def delta_ns(self) -> float:
        """head - base."""
        return self.head_ns - self.base_ns


class PredictedRow(Record, frozen=True, kw_only=True):
    """One function's share of the predicted time, ns per operation."""

    function: str
    base_ns: float
    head_ns: float
    base_instructions: float = 0.0
    """Instructions executed per operation on base. A repeated string instruction counts once."""
    head_instructions: float = 0.0
    """Instructions executed per operation on head, counted in the same way."""
    causes: tuple[PredictedCause, ...] = ()
    """Causes of this function's time, largest change first."""

    @property
    def delta_ns(self) -> float:
        """head - base."""
        return self.head_ns - self.base_ns


class Prediction(Record, frozen=True, kw_only=True):
    """One comparison on one CPU. Sums over causes, and over rows, are base_ns and head_ns."""

    cpu: str
    """Name of the CPU's timing file."""
    calibrated: bool
    """True if the intervals of its timing file come from changes measured on such a CPU."""
    base_ns: float | None = None
    """Time on base in ns per operation, the mean of `base_rounds`; None when nothing could be replayed."""
    head_ns: float | None = None
    """Time on head in ns per operation, the mean of `head_rounds`; None when nothing could be replayed."""
    change: float | None = None
    """Relative change, head_ns / base_ns - 1."""
    interval: tuple[float, float] | None = None
    """Interval of the change that holds `level` of held-out changes."""
    level: float | None = None
    """Measured if the CPU is `calibrated`, else an aim."""
    refused: Reason | None = None
    """Reason why there is no change and no interval. base_ns and head_ns are then the time without what is refused."""
    causes: tuple[PredictedCause, ...] = ()
    rows: tuple[PredictedRow, ...] = ()
    """Rows of every function executed, largest change first."""
    base_instructions: float | None = None
    head_instructions: float | None = None
    base_accesses: float | None = None
    """Loads and stores that base executes per operation, the mean of its rounds; None when nothing was replayed."""
    head_accesses: float | None = None
    """Loads and stores that head executes per operation, counted in the same way."""
    base_rounds: tuple[float, ...] = ()
    """Time of each round of base that a prediction answers for, in ns."""
    head_rounds: tuple[float, ...] = ()
    """Time of each round of head that a prediction answers for, in ns."""
    base_placed: tuple[float, ...] = ()
    """Time of base with each placement of pages in physical memory, in ns; empty if the trace was replayed once."""
    head_placed: tuple[float, ...] = ()
    """Time of head with each placement of pages in physical memory, in ns; empty if the trace was replayed once."""
    meaning: Reason | None = None
    """Explanation of counts and prediction together, if they disagree."""
    doubts: tuple[Reason, ...] = ()
    """Doubts that a reader must know."""
    model: str = ""
    """Hash of the timing file's content and of the core model."""
    evidence: str = PREDICTED
