# SPDX-License-Identifier: GPL-2.0-only
"""Deferred work in a comparison: not foreign, told to the reader, and left out of both values or of none."""

import pytest
from msgspec import structs

from kassay.analysis.analyse import refusals_of
from kassay.model.profile import DEFERRED, DeferredWork, RegionSummary
from kassay.model.reason_texts import reason_text
from kassay.model.run import Measurement
from kassay.report.conditions import deferred_work
from tests.analysis.sides import evidence, measurement


def region(*kinds: str, deferred: int = 0, other: int = 0) -> RegionSummary:
    counts = (("kernel", 1_000_000 - deferred - other), ("other", other), (DEFERRED[0], deferred))
    works = (
        DeferredWork(context=kind, count=deferred * (kind == DEFERRED[0]), queued=9, outstanding=2) for kind in kinds
    )
    return RegionSummary(mode="counts", counts=counts, deferred=tuple(works))


def measured(found: RegionSummary | None, deferred: str) -> Measurement:
    return structs.replace(measurement([100], region=found), deferred=deferred)


def test_deferred_work_is_no_other_task() -> None:
    own, foreign = region(*DEFERRED, deferred=40_000), region(*DEFERRED, other=40_000)
    good = evidence("b", measured(own, "included"), index=1)
    assert refusals_of(evidence("a", measured(own, "included")), good) == ()
    (refused,) = refusals_of(evidence("a", measured(foreign, "included")), good)
    assert refused.verdict == "contaminated"


@pytest.mark.parametrize(
    ("base", "code"),
    [
        (measured(region(*DEFERRED), "apart"), None),
        (measured(None, "not known"), "deferred-not-known"),
        (measured(region("work-item"), "apart"), "deferred-differs"),
    ],
)
def test_values_without_deferred_work_need_to_know_the_same_kinds_of_it(base: Measurement, code: str | None) -> None:
    head = measured(region(*DEFERRED), "apart")
    found = refusals_of(evidence("a", base), evidence("b", head, index=1))
    assert [(refusal.verdict, refusal.reason.code) for refusal in found] == ([("incomplete", code)] if code else [])


def test_report_counts_deferred_work_done_outstanding_and_not_followed() -> None:
    told = deferred_work([evidence("6.12", measured(region("work-item", "timer", deferred=40_000), "included"))])
    assert [reason_text(reason) for reason in told] == [
        "6.12: 4.0% of the instructions in the measured region are work that the workload queued and the kernel did "
        "later, part of the value. Instructions in all its rounds: work-item (40000); not finished when the region "
        "ended: 2 work items.",
        "6.12: the kernel lacks functions by which deferred work is followed; rcu-callback, irq-work counts as other "
        "tasks or as interrupts.",
    ]
    assert deferred_work([evidence("6.12", measured(region(*DEFERRED, deferred=900), "included"))]) == ()
    assert deferred_work([evidence("6.12", measured(region(), "included"))]) == ()  # of an earlier plugin
