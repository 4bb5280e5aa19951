# SPDX-License-Identifier: GPL-2.0-only
"""Others' values, judged by the rules of own boots; what the file does not tell weakens what is said."""

import random
from math import exp

import msgspec
import pytest

from kassay.analysis.imported import STATE_DOUBT, judge_samples
from kassay.analysis.timed import ORDER_DOUBTS
from kassay.model.reason import reason
from kassay.model.samples import (
    UNITS_OF_REPLICATION,
    FunctionShares,
    ImportedKernel,
    Sample,
    Samples,
    SampleSeries,
    Source,
    Spread,
)


def series(kernel: str, values: list[float | None], *, blocks: bool = True, better: str = "lower",
           spread: Spread | None = None) -> SampleSeries:  # fmt: skip
    samples = tuple(
        Sample(
            value=value, block=index // 2 if blocks else None, run=f"{kernel}-{index}", detail="" if value else "died"
        )
        for index, value in enumerate(values)
    )
    return SampleSeries(kernel=kernel, workload="w", metric="m", unit="ns", definition="d", better=better,
                        samples=samples, spread=spread, primary=True)  # fmt: skip


def samples(*made: SampleSeries, replication: str = "boot", shares: tuple[FunctionShares, ...] = ()) -> Samples:
    kernels = tuple(ImportedKernel(label=name) for name in dict.fromkeys(one.kernel for one in made))
    source = Source(name="f.csv", sha256="0" * 64, format="csv")
    return Samples(name="n", sources=(source,), kernels=kernels, series=made, replication=replication, shares=shares)


def values(factor: float, n: int = 9, seed: int = 1) -> list[float | None]:
    draw = random.Random(f"{seed}/{factor}")
    return [100 * factor * exp(draw.gauss(0, 0.02)) for _ in range(n)]


def test_blocked_boots_are_judged_as_own_ones() -> None:
    (f,) = judge_samples(samples(series("a", values(1)), series("b", values(1.5))), 0.02).findings
    assert (f.verdict, f.n_base, f.n_head) == ("regression", 9, 9)
    # The seeds' own pageout table was withdrawn: one kernel had huge pages, the other had none.
    assert (f.evidence, f.reasons) == ("partial", (STATE_DOUBT,))
    assert (f.machine.arch, f.machine.cpus, f.machine.clock) == ("unknown", None, "imported")
    assert "not proven" in f.scope


def test_more_is_better_where_the_file_says_so() -> None:
    made = samples(series("a", values(1), better="higher"), series("b", values(1.5), better="higher"))
    assert judge_samples(made, 0.02).findings[0].verdict == "improvement"
    unknown = samples(series("a", values(1), better="unknown"), series("b", values(1.5), better="unknown"))
    assert judge_samples(unknown, 0.02).findings[0].verdict == "inconclusive"


@pytest.mark.parametrize("replication", ["process", "interval", "unknown"])
def test_values_that_are_no_boots_get_no_verdict_however_many_they_are(replication: str) -> None:
    made = samples(series("a", values(1, 1000)), series("b", values(1.5, 1000)), replication=replication)
    f = judge_samples(made, 0.02).findings[0]
    assert (f.verdict, f.interval, f.timing) == ("inconclusive", None, None)
    assert f.reasons[0] == UNITS_OF_REPLICATION[replication]
    assert f.change == pytest.approx(0.5, abs=0.02)


def test_an_unknown_order_is_told() -> None:
    made = samples(series("a", values(1), blocks=False), series("b", values(1.5), blocks=False))
    f = judge_samples(made, 0.02).findings[0]
    assert (f.verdict, f.evidence) == ("regression", "partial")
    assert ORDER_DOUBTS["unknown"] in f.reasons


def test_failed_values_are_failures_and_not_zeros() -> None:
    f = judge_samples(samples(series("a", values(1)), series("b", [*values(1.5)[:8], None])), 0.02).findings[0]
    assert (f.n_head, f.sides[1].failed, f.evidence) == (8, 1, "partial")


def test_means_and_spreads_alone_give_a_change_and_no_verdict() -> None:
    base, head = (Spread(mean=mean, deviation=0.03, n=None) for mean in (100.0, 108.4))
    f = judge_samples(samples(series("a", [], spread=base), series("b", [], spread=head)), 0.02).findings[0]
    assert (f.verdict, f.interval) == ("inconclusive", None)
    assert f.change == pytest.approx(0.084)


def test_a_mean_and_single_values_do_not_compare_by_rank() -> None:
    mean = Spread(mean=100.0, deviation=0.03, n=6)
    f = judge_samples(samples(series("a", [], spread=mean), series("b", values(1.5))), 0.02).findings[0]
    assert (f.verdict, f.evidence) == ("inconclusive", "partial")
    assert f.change == pytest.approx(0.5, abs=0.1)


def test_three_kernels_are_a_ladder_with_its_step() -> None:
    made = samples(series("a", values(1, 10)), series("b", values(1.001, 10, 2)), series("c", values(1.5, 10)))
    (ladder,) = judge_samples(made, 0.02).ladders
    assert [(s.from_kernel, s.to_kernel) for s in ladder.steps if s.verdict == "regression"] == [("b", "c")]


def test_a_value_of_zero_in_a_ladder_is_no_crash() -> None:
    made = samples(series("a", values(1, 10)), series("b", [0.0, *values(1, 9)]), series("c", values(1.5, 10)))
    (ladder,) = judge_samples(made, 0.02).ladders
    assert reason("values-not-positive") in [f.reasons[0] for f in judge_samples(made, 0.02).findings]
    assert {(s.from_kernel, s.to_kernel) for s in ladder.steps} >= {("a", "b"), ("b", "c")}


@pytest.mark.slow
def test_many_settings_of_three_equal_kernels_name_no_change_between_the_ends() -> None:
    made = [
        msgspec.structs.replace(series(kernel, values(1, 10, seed * 7 + place)), workload=f"w{seed}")
        for seed in range(20)
        for place, kernel in enumerate("abc")
    ]
    found = judge_samples(samples(*made), 0.001).findings
    assert [f.verdict for f in found if f.verdict in ("regression", "improvement")] == []


def test_shares_become_an_itemised_difference_that_adds_up() -> None:
    shares = FunctionShares(workload="w", unit="cycles/op", base_total=13333.0, head_total=12363.0,
                            rows=(("copy_page", 2688.0, 3103.0), ("gone", 700.0, None)), how="h")  # fmt: skip
    base, head = (Spread(mean=mean, deviation=None, n=None) for mean in (100.0, 108.4))
    made = samples(series("a", [], spread=base), series("b", [], spread=head), shares=(shares,))
    found = judge_samples(made, 0.02).findings[-1].attribution
    assert found is not None
    assert [(row.function, row.context) for row in found.rows] == [("copy_page", "")]
    assert sum(row.delta for row in found.rows) + found.unattributed == pytest.approx(found.total)
    assert (
        found.sentence.startswith("-970 cycles/op: copy_page +415; -1 385.0 not attributed")
        or "copy_page" in found.sentence
    )


def test_shares_of_a_base_that_costs_nothing_have_no_ratio() -> None:
    shares = FunctionShares(workload="w", unit="u/op", base_total=0.0, head_total=2.0, rows=(), how="h")
    made = samples(series("a", values(1, 6)), series("b", values(1, 6)), shares=(shares,))
    assert judge_samples(made, 0.02).findings[-1].change is None


def test_values_of_zero_have_no_ratio() -> None:
    f = judge_samples(samples(series("a", [0.0] * 6), series("b", values(1, 6))), 0.02).findings[0]
    assert (f.verdict, f.change) == ("inconclusive", None)
