# SPDX-License-Identifier: GPL-2.0-only
"""The exit status of a command with --exit-code: the gate of a CI."""

from collections.abc import Collection

from kassay.model.finding import REFUSED
from kassay.model.report import Report
from kassay.report.sections.programs import dominant_calls


def exit_status(report: Report, allowed: Collection[str] = ()) -> int:
    """1 if any phase of any workload, counted or timed, is a regression, or the cost of one call that is the answer of
    a refused comparison. Else 4 if a comparison was refused, a row of a series has no figures, or nothing was decided.
    Else 0.

    allowed: workloads that may be refused.
    """
    timed = [row.time_verdict for row in report.beside]
    calls = [cost.verdict for finding in report.findings for cost in dominant_calls(finding)]
    if "regression" in (*(finding.verdict for finding in report.findings), *calls, *timed):
        return 1
    compared = [(finding.workload, finding.verdict) for finding in report.findings]
    compared += [(row.workload, row.time_verdict) for row in report.beside]
    if any(verdict in REFUSED and workload not in allowed for workload, verdict in compared):
        return 4
    if report.lead.lacks_kernel:
        return 4
    decided = [finding.verdict for finding in report.findings if finding.primary and finding.verdict not in REFUSED]
    excused = any(finding.workload in allowed for finding in report.findings)
    verdicts = (*decided, *timed)
    if not verdicts:
        return 0 if excused else 4
    return 4 if all(verdict == "inconclusive" for verdict in verdicts) else 0
