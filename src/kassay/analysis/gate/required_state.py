# SPDX-License-Identifier: GPL-2.0-only
"""What the workload declared must hold did hold, in every run of both sides."""

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.measurement import CellEvidence


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    return (*_side(base), *_side(head))


def _side(side: CellEvidence) -> tuple[Refusal, ...]:
    broken: dict[str, int] = {}
    for measurement in side.measurements:
        for checked in measurement.requirements:
            if checked.holds is not True:
                wanted = checked.requirement
                found = "absent" if checked.found is None else checked.found
                must = f"{wanted.field} must be {wanted.operator} {wanted.value}"
                text = f"{wanted.moment} the region, {must}, and is {found}"
                broken[text] = broken.get(text, 0) + 1
    total = len(side.measurements)
    return tuple(
        Refusal(verdict="semantic-failure", reason=f"{side.label}: {text} ({count} of {total} runs)")
        for text, count in broken.items()
    )


RULE = GateRule(
    name="required_state", summary="the state the workload declares was there, before and after", order=30, check=_check
)
