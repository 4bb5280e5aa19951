# SPDX-License-Identifier: GPL-2.0-only
"""The gate and its rules. A rule takes two cells and returns refusals, or none."""

from collections.abc import Callable
from functools import cache

from kassay.model.finding import StateDifference
from kassay.model.reason import Reason
from kassay.model.records import Record
from kassay.model.run import CellEvidence
from kassay.registry import discover


class Refusal(Record, frozen=True, kw_only=True):
    """Why two cells may not be compared. verdict: one of model.finding.REFUSED."""

    verdict: str
    reason: Reason
    differences: tuple[StateDifference, ...] = ()


def _no_doubt(_: CellEvidence) -> None:
    return None


class GateRule(Record, frozen=True, kw_only=True):
    """One rule. order: rules are asked from the lowest; the first refusal gives the verdict.

    fields: of the captured state, which it compares: reports show them. doubt: what is wrong with one side and is too
    little to refuse a comparison, None for nothing; it stands among the doubts of the side.
    """

    name: str
    summary: str
    order: int
    check: Callable[[CellEvidence, CellEvidence], tuple[Refusal, ...]]
    fields: tuple[str, ...] = ()
    doubt: Callable[[CellEvidence], Reason | None] = _no_doubt


@cache
def rules() -> tuple[GateRule, ...]:
    """Every rule, in their order."""
    found = discover("kassay.analysis.gate", "RULE", GateRule)
    return tuple(sorted(found.values(), key=lambda rule: rule.order))


def compared_fields() -> tuple[str, ...]:
    """All fields of the captured state that a rule compares, each once."""
    return tuple(dict.fromkeys(name for rule in rules() for name in rule.fields))
