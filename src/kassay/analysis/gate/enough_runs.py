# SPDX-License-Identifier: GPL-2.0-only
"""Both sides have at least one successful plain run."""

from collections import Counter

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.reason import reason
from kassay.model.run import CellEvidence


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    return tuple(_refuse(side) for side in (base, head) if not any(m.plain for m in side.measurements))


def _refuse(side: CellEvidence) -> Refusal:
    outcomes = Counter(record.outcome for record in side.failures)
    # A guest whose own check failed did run: that the work was not done is the finding.
    semantic = set(outcomes) == {"check-failed"}
    detail = side.failures[-1].detail if side.failures else ""
    return Refusal(
        verdict="semantic-failure" if semantic else "incomplete",
        reason=reason("no-plain-run", side.label, outcomes=tuple(sorted(outcomes.items())), detail=detail),
    )


RULE = GateRule(name="enough_runs", summary="each side has a successful plain run", order=10, check=_check)
