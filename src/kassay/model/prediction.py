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
    """One cause's share of the predicted time, ns per operation. cause: a word of CAUSES. *_instructions: per
    operation, those that waited for it, or that were done in its shadow."""

    cause: str
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
    string instruction counts once. causes: those of this function, largest change first."""

    function: str
    base_ns: float
    head_ns: float
    base_instructions: float = 0.0
    head_instructions: float = 0.0
    causes: tuple[PredictedCause, ...] = ()

    @property
    def delta_ns(self) -> float:
        """head - base."""
        return self.head_ns - self.base_ns


class Prediction(Record, frozen=True, kw_only=True):
    """One comparison on one CPU. Sums over causes, and over rows, are base_ns and head_ns.

    cpu: name of its timing file. calibrated: whether that was measured on such a CPU, or comes from published data.
    base_ns, head_ns: ns per operation, the mean of the rounds answered for; None when nothing could be replayed.
    change: head_ns / base_ns - 1. interval: of the change, which holds `level` of held-out changes.
    refused: why there is no change and no interval; base_ns and head_ns are then the time without what is refused.
    rows: every function executed, largest change first. base_rounds, head_rounds: ns of each round answered for.
    meaning: how counts and prediction go together, where they disagree. doubts: what a reader must know.
    model: content of the timing file and of the core model.
    """

    cpu: str
    calibrated: bool
    base_ns: float | None = None
    head_ns: float | None = None
    change: float | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    refused: Reason | None = None
    causes: tuple[PredictedCause, ...] = ()
    rows: tuple[PredictedRow, ...] = ()
    base_instructions: float | None = None
    head_instructions: float | None = None
    base_rounds: tuple[float, ...] = ()
    head_rounds: tuple[float, ...] = ()
    meaning: Reason | None = None
    doubts: tuple[Reason, ...] = ()
    model: str = ""
    evidence: str = PREDICTED
