# SPDX-License-Identifier: GPL-2.0-only
"""A program whose time is measured: what is known of its work is compared, and what is not known is said."""

from collections.abc import Mapping

import pytest
from msgspec import structs

from kassay.analysis.analyse import analyse
from kassay.model.finding import Finding
from kassay.model.run import CellEvidence
from kassay.model.work import CallResult, Work
from kassay.spec.rules import question_of
from tests.analysis.plans import plan_of
from tests.analysis.sides import measurement

Watched = Mapping[str, int]


def timed(
    base: Watched | None, head: Watched | None, *, turn: int = 0,
    others: tuple[Watched | None, Watched | None] = ({}, {}),
) -> Finding:  # fmt: skip
    """The finding of six boots per kernel, head twice as slow. base, head: calls of the watched execution; None for a
    workload of kassay's. turn: mmap() calls that odd boots make more. others: calls of children, None where not all
    were seen."""
    plan = plan_of(2, clock="kvm", repeats=6, perturb=0, margin=0.02, control=False)
    cells = []
    for cell, calls, of_others in zip(plan.cells, (base, head), others, strict=True):
        runs = []
        for run in (run for run in plan.runs if run.cell == cell.id):
            times = [(1 + cell.kernel) * 1_000_000 + 100 * run.repeat] * 3
            one = measurement(times, repeat=run.repeat, run=run.id, block=run.block)
            more = {"mmap": 1 + turn * (run.repeat % 2)} if turn else {}
            runs.append(one if calls is None else structs.replace(one, work=_work({**calls, **more}, of_others)))
        kernel = plan.kernels[cell.kernel]
        cells.append(CellEvidence(cell=cell, kernel=kernel, label=kernel.ref, measurements=tuple(runs), failures=(),
                                  lost=0))  # fmt: skip
    (finding,) = analyse(plan, cells, question_of(plan.experiment)).findings
    return finding


def _work(calls: Watched, others: Watched | None) -> Work:
    return Work(phase="iteration", items=(), results=_results(calls),
                other_results=None if others is None else _results(others))  # fmt: skip


def _results(calls: Watched) -> tuple[CallResult, ...]:
    return tuple(
        CallResult(name=name.split()[0], error="".join(name.split()[1:]), times=times) for name, times in calls.items()
    )


def test_other_calls_in_the_watched_execution_give_no_verdict() -> None:
    found = timed({"madvise": 5}, {"madvise": 10})
    assert (found.verdict, [why.code for why in found.reasons]) == ("different-work", ["watched-work"])
    assert [(d.field, d.base, d.head) for d in found.differences] == [("madvise()", "5", "10")]


def test_calls_that_fail_on_one_kernel_are_other_work() -> None:
    found = timed({"madvise": 5}, {"madvise EINVAL": 5})
    assert [d.field for d in found.differences] == ["madvise()", "madvise() that failed with EINVAL"]


@pytest.mark.parametrize(
    "head",
    [
        {"madvise": 5, "read": 400, "clone3": 8},
        {"madvise": 5, "read": 401, "clone3": 8, "brk": 2},  # a few
        {"madvise": 5, "read": 400, "clone3": 8, "futex": 6, "futex EAGAIN": 2},  # of threads that end later
    ],
)
def test_the_same_calls_give_a_verdict(head: Watched) -> None:
    found = timed({"madvise": 5, "read": 400, "clone3": 8}, head)
    assert (found.verdict, found.evidence) == ("regression", "reliable")


def test_calls_of_children_that_were_not_all_seen_are_not_compared_and_a_doubt() -> None:
    found = timed({"madvise": 5}, {"madvise": 5}, others=({"read": 3990}, None))
    assert (found.verdict, found.evidence) == ("regression", "partial")
    assert "work-not-watched" in {why.code for why in found.reasons}
    assert timed({"madvise": 5}, {"madvise": 5}, others=({"read": 50}, {"read": 90})).verdict == "different-work"


def test_calls_in_which_the_boots_of_one_kernel_differ_are_chance() -> None:
    assert timed({"madvise": 5}, {"madvise": 5}, turn=30).verdict == "regression"


def test_a_workload_of_kassays_has_a_fixed_amount_of_work() -> None:
    found = timed(None, None)
    assert (found.verdict, found.evidence) == ("regression", "reliable")
