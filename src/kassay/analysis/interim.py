# SPDX-License-Identifier: GPL-2.0-only
"""Looks at a timed session while it runs, at the planned number of boots only, and says whether it may stop."""

from collections.abc import Callable

from kassay.analysis.analyse import analyse
from kassay.analysis.planned_looks import last_look
from kassay.model.finding import Finding
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell
from kassay.model.question import Question
from kassay.model.reason_texts import reason_text
from kassay.model.run import CellEvidence, RunRecord

Collect = Callable[[tuple[RunRecord, ...]], tuple[CellEvidence, ...]]


class InterimLooks:
    """Callable with all records so far; True when no more boots are needed. Says what each look found."""

    def __init__(self, plan: Plan, question: Question, collect: Collect, tell: Tell) -> None:
        self._plan, self._question, self._collect, self._tell, self._last = plan, question, collect, tell, 0

    def __call__(self, records: tuple[RunRecord, ...]) -> bool:
        plan = self._plan
        if not plan.experiment.timed:
            return False
        succeeded = {record.run for record in records if record.outcome == "ok"}
        failed = {record.run for record in records if record.attempt > plan.experiment.retries} - succeeded
        look = last_look(plan, succeeded, failed)
        if look is None or look == self._last:
            return False
        self._last = look
        analysis = analyse(plan, self._collect(records), self._question, primary_only=True)
        text = "all decided" if analysis.decided else _open(analysis.findings)
        self._tell(Progress(stage="look", subject=f"{look} boots a kernel", text=text))
        return analysis.decided


def _open(findings: tuple[Finding, ...]) -> str:
    """The metric that is farthest from a decision, in words, and how many are open."""
    left = [f for f in findings if f.primary and f.verdict == "inconclusive"]
    if not left:
        return "nothing to decide"
    widest = max(left, key=lambda f: f.timing.bound or 0.0 if f.timing else 0.0)
    more = f", {len(left)} open in all" if len(left) > 1 else ""
    why = reason_text(widest.reasons[0]) if widest.reasons else widest.verdict
    return f"not decided: {why}{more}"
