# SPDX-License-Identifier: GPL-2.0-only
"""Times of whole runs are refused if the files show that the runs did other numbers of operations."""

import pytest
from msgspec import structs

from kassay.analysis.imported import judge_samples
from kassay.model.reason_texts import reason_text
from kassay.model.samples import Samples, SampleSeries, Spread
from tests.analysis.test_imported import samples, series, values


def metric(name: str, unit: str, kernel: str, factor: float, spread: float = 0.0) -> SampleSeries:
    """One value of 100 times the factor, and one that lies apart by a spread."""
    made = series(kernel, [100 * factor, 100 * factor * (1 + spread)] * 4)
    return structs.replace(made, metric=name, unit=unit, primary=False)


def seconds(kernel: str, factor: float) -> SampleSeries:
    made = structs.replace(series(kernel, values(factor)), metric="time.system_time", unit="s")
    assert isinstance(made, SampleSeries)
    return made


def verdict_of(made: Samples) -> str:
    (found,) = (f.verdict for f in judge_samples(made, 0.02).findings if f.metric == "time.system_time")
    return found


@pytest.mark.parametrize(
    ("ops", "spread", "verdict"),
    [(1.0, 0.0, "improvement"), (0.8, 0.0, "different-work"), (0.8, 0.3, "improvement"), (1.002, 0.0, "improvement")],
)
def test_a_printed_count_is_compared(ops: float, spread: float, verdict: str) -> None:
    counts = (metric("stress-ng.brk.ops", "ops", "a", 1, spread), metric("stress-ng.brk.ops", "ops", "b", ops, spread))
    assert verdict_of(samples(seconds("a", 1), seconds("b", 0.8), *counts)) == verdict


@pytest.mark.parametrize(("elapsed", "verdict"), [(1.0, "different-work"), (1.25, "improvement")])
def test_a_rate_is_multiplied_by_the_seconds_of_the_run(elapsed: float, verdict: str) -> None:
    rates = (metric("w.workload", "ops/s", "a", 1), metric("w.workload", "ops/s", "b", 0.8))
    times = (metric("time.elapsed_time", "s", "a", 1), metric("time.elapsed_time", "s", "b", elapsed))
    assert verdict_of(samples(seconds("a", 1), seconds("b", 0.8), *rates, *times)) == verdict


def test_the_reason_has_both_numbers_and_means_are_enough() -> None:
    counts = [structs.replace(series(kernel, [], spread=Spread(mean=mean, deviation=0.001, n=3)), metric="x.ops",
                              unit="ops", primary=False) for kernel, mean in (("a", 500.0), ("b", 450.0))]  # fmt: skip
    (found,) = (f for f in judge_samples(samples(seconds("a", 1), seconds("b", 0.8), *counts), 0.02).findings
                if f.metric == "time.system_time")  # fmt: skip
    assert reason_text(found.reasons[0]) == "the runs did different work: x.ops is 500 on a, 450 on b"


def test_costs_of_one_operation_are_judged_whatever_the_number() -> None:
    counts = (metric("x.ops", "ops", "a", 1), metric("x.ops", "ops", "b", 0.8))
    made = samples(series("a", values(1)), series("b", values(0.8)), *counts)
    assert next(f.verdict for f in judge_samples(made, 0.02).findings if f.metric == "m") == "improvement"
