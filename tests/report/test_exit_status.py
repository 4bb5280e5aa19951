# SPDX-License-Identifier: GPL-2.0-only
"""The gate of a CI: 1 for a regression in any phase, else 4 for anything that was refused, is missing or undecided."""

import pytest
from msgspec.structs import replace

from kassay.analysis.counts_and_time import side_by_side
from kassay.commands._exit import Passing
from kassay.errors import BadInput
from kassay.model.finding import Finding
from kassay.model.report import Report
from kassay.model.work import CallCost
from kassay.questions.series import lead_of
from kassay.report.exit_status import exit_status
from tests.report.reports import KERNELS, finding, ladder
from tests.report.row_reports import series

VERDICTS = ("regression", "improvement", "equivalent", "inconclusive", "state-mismatch", "different-work", "incomplete")


def judged(workload: str, verdict: str, *, primary: bool = True) -> Finding:
    values = (300.0, 300.0)
    return replace(finding(KERNELS[0], KERNELS[1], values, "iteration"), workload=workload, verdict=verdict,
                   primary=primary)  # fmt: skip


def report(*findings: Finding) -> Report:
    return replace(ladder(), findings=findings, ladders=())


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        (("equivalent", "improvement"), 0), (("equivalent", "regression"), 1), (("state-mismatch", "regression"), 1),
        (("equivalent", "state-mismatch"), 4), (("equivalent", "different-work"), 4), (("equivalent", "incomplete"), 4),
        (("equivalent", "inconclusive"), 0), (("inconclusive", "inconclusive"), 4), ((), 4),
    ],
)  # fmt: skip
def test_one_refused_workload_of_many_does_not_pass(verdicts: tuple[str, ...], status: int) -> None:
    assert exit_status(report(*(judged(f"w{n}", verdict) for n, verdict in enumerate(verdicts)))) == status


def test_a_regression_of_any_phase_is_one() -> None:
    other = replace(judged("w", "regression", primary=False), metric="unmap")
    assert exit_status(report(judged("w", "equivalent"), other)) == 1


@pytest.mark.parametrize(
    ("verdict", "share", "status"), [("regression", 0.6, 1), ("equivalent", 0.6, 4), ("regression", 0.4, 4)]
)
def test_the_cost_of_the_calls_that_carry_a_refused_comparison_takes_part(
    verdict: str, share: float, status: int
) -> None:
    cost = CallCost(
        kind="system call", name="madvise", base=100.0, head=120.0, base_times=5.0, head_times=4.0, change=0.2,
        interval=(0.2, 0.2), floor=0.0, verdict=verdict, evidence="exact", n_base=4, n_head=4, share=share,
    )  # fmt: skip
    refused = replace(judged("w", "different-work"), calls=(cost,))
    assert exit_status(report(refused)) == status
    assert exit_status(report(refused), ["w"]) == (1 if status == 1 else 0)
    assert exit_status(report(replace(refused, verdict="equivalent"))) == 0


def test_a_workload_may_be_refused_if_the_user_names_it() -> None:
    refused = report(judged("a", "equivalent"), judged("b", "state-mismatch"))
    assert (exit_status(refused), exit_status(refused, ["b"]), exit_status(refused, ["a"])) == (4, 0, 4)
    assert exit_status(report(judged("b", "state-mismatch")), ["b"]) == 0
    assert exit_status(report(judged("a", "regression"), judged("b", "incomplete")), ["b"]) == 1


def test_a_row_of_a_series_without_figures_does_not_pass() -> None:
    whole = series()
    assert whole.series is not None and any(row.outcome == "not-built" for row in whole.series.rows)
    admitted = tuple(replace(f, verdict="equivalent") for f in whole.findings)
    assert exit_status(replace(whole, findings=admitted)) == 4
    measured = tuple(row for row in whole.series.rows if row.outcome in ("measured", "same-source", "same-image"))
    shorter = replace(whole.series, rows=measured)
    admitting = replace(whole, findings=admitted, series=shorter)
    assert exit_status(replace(admitting, lead=lead_of(admitting, shorter))) == 0


def test_without_exit_code_an_answer_is_an_answer() -> None:
    assert Passing(False).status(report(judged("w", "regression"))) == 0
    with pytest.raises(BadInput, match="--allow-refused x: no such workload"):
        Passing(True, ("x",)).check(["w"])


@pytest.mark.parametrize(
    ("word", "status"), [("equivalent", 0), ("incomplete", 4), ("state-mismatch", 4), ("regression", 1)]
)
def test_a_time_beside_the_counts_that_is_refused_is_no_pass(word: str, status: int) -> None:
    counts = judged("w", "equivalent")
    timed = replace(counts, verdict=word, machine=replace(counts.machine, clock="kvm"))
    both = replace(report(counts), beside=side_by_side([counts], [timed]))
    assert exit_status(both) == status
    assert exit_status(both, ["w"]) == (1 if status == 1 else 0)
