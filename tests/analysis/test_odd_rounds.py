# SPDX-License-Identifier: GPL-2.0-only
"""A change in some rounds of each run is not hidden by the most frequent count."""

from statistics import fmean

import pytest

from kassay.analysis.analyse import compare
from kassay.analysis.rounds import method_of
from kassay.model.finding import Finding
from kassay.model.reason_texts import reason_text
from kassay.model.run import Measurement
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement

COST = 100_000


def compared(base: list[int], head: list[int], *, perturbed: list[int] | None = None) -> Finding:
    """Two plain and two perturbed runs on each side. perturbed: rounds of head's perturbed runs."""

    def runs(ticks: list[int], other: list[int]) -> list[Measurement]:
        return [measurement(other if number else ticks, repeat=repeat, perturbation=number, run=f"{repeat}-{number}")
                for repeat, number in ((0, 0), (1, 0), (2, 1), (3, 2))]  # fmt: skip

    plan = plan_of(2)
    sides = evidence("a", *runs(base, base)), evidence("b", *runs(head, perturbed or head), index=1)
    return compare(plan, *sides, plan.workloads[0].phases[0], method_of(sides, "iteration"), None)


def some(every: int, count: int, dear: float, first: int = 0) -> list[int]:
    return [round(COST * (dear if n % every == first else 1)) for n in range(count)]


@pytest.mark.parametrize("count", [7, 10, 20])
def test_a_cost_in_every_third_round_is_no_equivalence(count: int) -> None:
    found = compared([COST] * count, some(3, count, 1.6, first=1))
    assert (found.change, found.verdict, found.reasons[0].code) == (0.0, "inconclusive", "rounds-otherwise")


def test_one_tick_in_each_run_is_chance() -> None:
    found = compared([COST] * 8, [COST, COST, 2 * COST, *[COST] * 5])
    assert (found.verdict, found.evidence) == ("equivalent", "exact")


def test_what_perturbed_runs_do_not_show_is_chance() -> None:
    found = compared([COST] * 8, some(3, 8, 1.6), perturbed=[COST] * 8)
    assert (found.verdict, found.evidence) == ("equivalent", "exact")


def test_a_change_of_every_round_keeps_its_evidence() -> None:
    found = compared(some(4, 20, 1.5), [2 * cost for cost in some(4, 20, 1.5)])
    assert (found.verdict, found.evidence) == ("regression", "exact")


def test_a_change_whose_size_is_not_that_of_the_rounds_is_no_exact_evidence() -> None:
    found = compared([COST] * 6, [2 * COST, 3 * COST, 2 * COST] * 2)
    assert (found.verdict, found.evidence) == ("regression", "partial")
    (why,) = (why for why in found.reasons if why.code == "rounds-otherwise")
    assert why["low"] == pytest.approx(4 / 3) and why["high"] is None
    assert "by +100.0 %, the mean of the rounds by +133.3 %: some rounds" in reason_text(why)
    apart = compared([COST] * 6, [2 * COST, 3 * COST, 2 * COST] * 2, perturbed=[2 * COST, 4 * COST, 2 * COST] * 2)
    assert "the mean of the rounds by +133.3 % to +166.7 %: some" in reason_text(apart.reasons[0])


def test_every_second_round_counts_however_few_there_are() -> None:
    """page_fault size=64KiB, which gives pages back to the allocator in every second round."""
    base, head = [74903, 59056, 87762, 59056, 88509, 59056], [81272, 63849, 78674, 63849, 78520, 63849]
    found = compared(base, head)
    assert found.verdict == "improvement"
    assert found.change == pytest.approx(fmean(head[2:]) / fmean(base[2:]) - 1)
    changes = [compared([COST] * count, ([COST, 2 * COST] * count)[:count]).change for count in range(4, 12)]
    assert changes == pytest.approx([0.5] * 8)


def rounds_of(mean: float) -> list[int]:
    """Ten rounds whose value is 10 % above COST, and whose mean is this part of it, without one of the dearest."""
    dear, other = round(1.1 * COST), round(COST * (9 * mean - 6 * 1.1) / 3)
    return [dear, other, dear, dear, dear, other, dear, dear, other, dear]


def test_a_margin_between_means_that_read_alike_hides_no_change() -> None:
    found = compared([COST] * 10, rounds_of(1.0097), perturbed=rounds_of(1.0103))
    assert (round(found.change or 0, 3), found.verdict, found.evidence) == (0.1, "regression", "partial")
    (why,) = (why for why in found.reasons if why.code == "rounds-otherwise")
    assert why["low"] == pytest.approx(0.0097) and why["high"] == pytest.approx(0.0103)
