# SPDX-License-Identifier: GPL-2.0-only
"""Hosts that gave other counts for the same run are not merged, whatever else they measured."""

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.run import CellEvidence


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    hosts = {m.host for side in (base, head) for m in side.measurements}
    for disagreement in (*base.disagreements, *head.disagreements):
        if hosts.issuperset((disagreement.host, disagreement.other)):
            return (Refusal(verdict="hosts-disagree", reason=disagreement.reason),)
    return ()


RULE = GateRule(name="hosts_agree", summary="hosts that disagree on a count are not merged", order=15, check=_check)
