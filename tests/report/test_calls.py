# SPDX-License-Identifier: GPL-2.0-only
"""The steps of a ladder that were refused for their amount of work have the cost of one operation or call."""

from msgspec.structs import replace

from kassay.model.finding import Finding, Ladder, LadderPoint, LadderStep
from kassay.report.sections.programs import calls_text, steps_text
from tests.analysis.works import ADAPTIVE, FEWER, changed, kernels, two


def ladder_of(finding: Finding, verdict: str) -> Ladder:
    """Two kernels with one step between them."""
    points = tuple(LadderPoint(kernel=side.kernel, value=side.value, n=2, side=side) for side in finding.sides)
    step = LadderStep(from_kernel=points[0].kernel, to_kernel=points[1].kernel, change=None, verdict=verdict)
    return Ladder(
        workload=finding.workload, metric=finding.metric, unit=finding.unit, primary=True, settings=finding.settings,
        machine=finding.machine, points=points, steps=(step,),
    )  # fmt: skip


def test_a_refused_step_has_the_cost_of_the_largest_kind_of_call() -> None:
    finding = two(*kernels(ADAPTIVE, FEWER))
    ladder = ladder_of(finding, finding.verdict)
    text = steps_text(ladder, (finding,), "Linux {}".format)
    assert text == (
        "Per page fault: 3 076.9 to 3 352.5 instructions from Linux 6.12 to Linux 7.3 (+9.0 %, regression; partial); "
        "1 300 and 1 044 faults per round."
    )
    assert steps_text(replace(ladder, metric="other"), (finding,), str) == ""
    assert steps_text(replace(ladder, steps=()), (finding,), str) == ""


def test_one_call_is_no_plural() -> None:
    once = changed(ADAPTIVE, madvise=(1, 4_000_000)), changed(FEWER, madvise=(1, 4_100_000))
    finding = two(*kernels(*once))
    assert finding.verdict == "different-work"
    assert "; 1 call per round." in calls_text(finding, "6.12", "7.3")


def test_a_cost_without_a_verdict_says_why() -> None:
    waited = changed(ADAPTIVE, futex=(2000, 4_000_000)), changed(ADAPTIVE, futex=(1000, 2_100_000))
    finding = two(*kernels(*waited))
    assert finding.verdict == "different-work"
    assert "Per futex() call: 2 000 to 2 100 instructions" in calls_text(finding, "6.12", "7.3")
    assert "inconclusive as other work of the program came before it; partial)" in calls_text(finding, "6.12", "7.3")


def test_an_admitted_step_has_none() -> None:
    finding = two(*kernels(ADAPTIVE, changed(ADAPTIVE, madvise=(5, 900_000))))
    assert finding.verdict == "regression" and finding.calls
    assert steps_text(ladder_of(finding, finding.verdict), (finding,), str) == ""
