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
    """A word of CAUSES. *_instructions: per operation, those that waited for it, or that were done in its shadow."""
    base_ns: float
    head_ns: float
    base_instructions: float = 0.0
    head_instructions: float = 0.0

    @property
    def delta_ns(self) -> float:
        """head - base."""
        return self.head_ns - self.base_ns


class PredictedRow(Record, frozen=True, kw_only=True):
    """One function's share of the predicted time, ns per operation. *_instructions: executed, per operation; a repeated
    string instruction counts once."""

    function: str
    base_ns: float
    head_ns: float
    base_instructions: float = 0.0
    head_instructions: float = 0.0
    causes: tuple[PredictedCause, ...] = ()
    """Those of this function, largest change first."""

    @property
    def delta_ns(self) -> float:
        """head - base."""
        return self.head_ns - self.base_ns


class Prediction(Record, frozen=True, kw_only=True):
    """One comparison on one CPU. Sums over causes, and over rows, are base_ns and head_ns."""

    cpu: str
    """Name of its timing file."""
    calibrated: bool
    """True if that was measured on such a CPU, or comes from published data."""
    base_ns: float | None = None
    head_ns: float | None = None
    """`base_ns`/`head_ns`: Ns per operation, the mean of the rounds answered for; None when nothing could be
    replayed."""
    change: float | None = None
    """head_ns / base_ns - 1."""
    interval: tuple[float, float] | None = None
    """Of the change, which holds `level` of held-out changes."""
    level: float | None = None
    refused: Reason | None = None
    """Why there is no change and no interval; base_ns and head_ns are then the time without what is refused."""
    causes: tuple[PredictedCause, ...] = ()
    rows: tuple[PredictedRow, ...] = ()
    """Every function executed, largest change first."""
    base_instructions: float | None = None
    head_instructions: float | None = None
    base_rounds: tuple[float, ...] = ()
    head_rounds: tuple[float, ...] = ()
    """`base_rounds`/`head_rounds`: Ns of each round answered for."""
    meaning: Reason | None = None
    """How counts and prediction go together, where they disagree."""
    doubts: tuple[Reason, ...] = ()
    """What a reader must know."""
    model: str = ""
    """Content of the timing file and of the core model."""
    evidence: str = PREDICTED
