# SPDX-License-Identifier: GPL-2.0-only
"""How much of a change between two kernels a third one takes back."""

from kassay.model.machine import MachineUse
from kassay.model.point import AtPoint
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting


class GapFunction(Record, frozen=True, kw_only=True):
    """One function's (or one group's) part, in the metric's unit per operation.

    lost: new - old. regained: new - candidate. share: regained / (the whole metric's new - old), so that the shares of
    all functions add up to the share closed. context: as in AttributionRow.
    """

    function: str
    lost: float
    regained: float
    share: float
    context: str = "kernel"


class Gap(AtPoint, frozen=True, kw_only=True):
    """share = (new - candidate) / (new - old): 1 is all of it, 0 nothing, below 0 is worse than new, above 1 better
    than old.

    share is None where there is no gap to close (old and new are not apart), or a comparison was refused; reasons say
    which. interval: lowest and highest share that the evidence allows; method says how it was made. n: runs of old,
    new, candidate. functions: largest |lost| or |regained| first, empty without profiles; unattributed: (lost,
    regained) outside of functions.
    """

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    primary: bool
    unit: str
    old: str
    new: str
    candidate: str
    old_value: float | None
    new_value: float | None
    candidate_value: float | None
    share: float | None
    interval: tuple[float, float] | None
    method: Reason
    n: tuple[int, int, int]
    evidence: str
    reasons: tuple[Reason, ...] = ()
    functions: tuple[GapFunction, ...] = ()
    unattributed: tuple[float, float] | None = None
