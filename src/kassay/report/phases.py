# SPDX-License-Identifier: GPL-2.0-only
"""The phases of a workload besides its primary one: sentences name their phase, and no change is left out."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kassay.model.finding import CHANGES, Finding, Ladder
from kassay.model.texts import listed
from kassay.model.units import format_change
from kassay.model.workload import Workload

WHOLE = "iteration"
"""The metric of a whole round: all phases together."""


def phase_words(workload: Workload, metric: str) -> str:
    """ ", phase fault" if the metric is one of several phases; "" if it covers the round, or is the only one."""
    return f", phase {metric}" if len(workload.phases) > 1 and metric != WHOLE else ""


def other_phases(finding: Finding, findings: Sequence[Finding]) -> str:
    """The other phases of the comparison that changed otherwise than the finding, or are undecided; "" for none."""
    kernels = finding.kernels
    others = [
        f for f in findings
        if f.point == finding.point and f.metric != finding.metric and f.kernels == kernels
    ]  # fmt: skip
    others = [f for f in others if f.verdict != finding.verdict]
    texts = [f"{f.metric} {format_change(f.change)} ({f.verdict})" for f in others if f.verdict in CHANGES]
    open_ = [f.metric for f in others if f.verdict == "inconclusive"]
    texts += [f"no verdict on {listed(open_)}"] if open_ else []
    return f"Other phases: {', '.join(texts)}." if texts else ""


def other_steps(ladder: Ladder, ladders: Sequence[Ladder], names: Mapping[str, str] = MappingProxyType({})) -> str:
    """The steps of other phases that the ladder itself does not have; "" for none. names: of kernels' labels."""
    own = {(step.from_kernel, step.to_kernel, step.verdict) for step in ladder.steps}
    steps = [
        f"{other.metric} {format_change(step.change)} from {names.get(step.from_kernel, step.from_kernel)} to "
        f"{names.get(step.to_kernel, step.to_kernel)} ({step.verdict})"
        for other in ladders
        if other.point == ladder.point and other.metric != ladder.metric
        for step in other.steps
        if step.verdict in CHANGES and (step.from_kernel, step.to_kernel, step.verdict) not in own
    ]
    return f"Other phases: {', '.join(steps)}." if steps else ""
