# SPDX-License-Identifier: GPL-2.0-only
"""Rule: the state that the workload declared did hold, in every run of both sides."""

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.reason import Value, reason
from kassay.model.run import CellEvidence


def _side(side: CellEvidence) -> tuple[Refusal, ...]:
    broken: dict[tuple[tuple[str, Value], ...], int] = {}
    for measurement in side.measurements:
        for checked in measurement.requirements:
            if checked.holds is not True:
                wanted = checked.requirement
                arguments = {
                    "moment": wanted.moment, "field": wanted.field, "operator": wanted.operator, "value": wanted.value,
                    "found": "absent" if checked.found is None else checked.found,
                }  # fmt: skip
                key = tuple(arguments.items())
                broken[key] = broken.get(key, 0) + 1
    runs = len(side.measurements)
    return tuple(
        Refusal(
            verdict="semantic-failure",
            reason=reason("state-not-as-needed", side.label, **dict(arguments), count=count, runs=runs),
        )
        for arguments, count in broken.items()
    )


RULE = GateRule(
    name="required_state", summary="the state the workload declares was there, before and after", order=30,
    check=lambda base, head: (*_side(base), *_side(head)),
)  # fmt: skip
