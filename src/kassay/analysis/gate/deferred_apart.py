# SPDX-License-Identifier: GPL-2.0-only
"""Values without deferred work are compared only where the same kinds of it were left out of all runs."""

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.experiment import APART
from kassay.model.reason import reason
from kassay.model.run import CellEvidence, Measurement


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    for side in (base, head):
        for measurement in side.measurements:
            if measurement.deferred == "not known":
                why = reason("deferred-not-known", side.label, run=measurement.run)
                return (Refusal(verdict="incomplete", reason=why),)
    followed = [_kinds(m) for side in (base, head) for m in side.measurements if m.deferred == APART]
    missing = sorted({kind for kinds in followed for kind in kinds if not all(kind in other for other in followed)})
    if not missing:
        return ()
    return (Refusal(verdict="incomplete", reason=reason("deferred-differs", head.label, kinds=", ".join(missing))),)


def _kinds(measurement: Measurement) -> set[str]:
    return {work.context for work in measurement.region.deferred} if measurement.region is not None else set()


RULE = GateRule(
    name="deferred_apart", summary="deferred work was left out of all values, or of none", order=18, check=_check
)
