# SPDX-License-Identifier: GPL-2.0-only
"""What every gate rule is: a question about two cells, answered by refusals or by nothing."""

from collections.abc import Callable

from kassay.model.finding import StateDifference
from kassay.model.measurement import CellEvidence
from kassay.model.reason import Reason
from kassay.model.records import Record


class Refusal(Record, frozen=True, kw_only=True):
    """Why two cells may not be compared. verdict: one of model.finding.REFUSED."""

    verdict: str
    reason: Reason
    differences: tuple[StateDifference, ...] = ()


class GateRule(Record, frozen=True, kw_only=True):
    """One rule. order: rules are asked from the lowest; the first refusal gives the verdict."""

    name: str
    summary: str
    order: int
    check: Callable[[CellEvidence, CellEvidence], tuple[Refusal, ...]]
