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
    """Reason why two cells may not be compared."""

    verdict: str
    """One of model.finding.REFUSED."""
    reason: Reason
    differences: tuple[StateDifference, ...] = ()


def _no_doubt(_: CellEvidence) -> None:
    return None


class GateRule(Record, frozen=True, kw_only=True):
    """One rule of the gate."""

    name: str
    summary: str
    order: int
    """Rules are asked from the lowest. The first refusal gives the verdict."""
    check: Callable[[CellEvidence, CellEvidence], tuple[Refusal, ...]]
    fields: tuple[str, ...] = ()
    """Fields of the captured state that the rule compares. Reports show them."""
    doubt: Callable[[CellEvidence], Reason | None] = _no_doubt
    """Function that returns a defect of one side that is too small to refuse a comparison, or None. It becomes a
    doubt of the side."""


@cache
def rules() -> tuple[GateRule, ...]:
    """Every rule, in their order."""
    found = discover("kassay.analysis.gate", "RULE", GateRule)
    return tuple(sorted(found.values(), key=lambda rule: rule.order))


def compared_fields() -> tuple[str, ...]:
    """All fields of the captured state that a rule compares, each once."""
    return tuple(dict.fromkeys(name for rule in rules() for name in rule.fields))
