# SPDX-License-Identifier: GPL-2.0-only
"""Two replays become a prediction whose parts add up; what is not in the model is refused by name."""

from math import fsum

import pytest
from msgspec.structs import replace

from kassay.labs.predict.predict import Nanoseconds, prediction
from kassay.labs.predict.side import OnCpu, Replay, ReplayedRow, TracedSide
from kassay.model.finding import Finding
from kassay.model.prediction import Prediction
from kassay.model.reason import Reason, reason
from kassay.model.reason_texts import reason_text
from kassay.supply.cpus import PAGE_TABLES, RETPOLINES, RETPOLINES_KEPT, cpus
from tests.report.parts import finding

ZEN3 = OnCpu(name="zen3", calibrated=True, ghz=2.0, model="m")
OPERATIONS = 10


def wide(base: Nanoseconds, head: Nanoseconds) -> tuple[float, float, float]:
    """An interval of 10 % either way."""
    change = sum(head.values()) / sum(base.values()) - 1
    return change - 0.1, change + 0.1, 0.9


def replayed(rows: dict[tuple[str, str], tuple[int, int]], *, rounds: tuple[int, ...] = (6, 12)) -> Replay:
    """Every answered round alike: (function, cause) -> cycles, instructions; half of it in each of two intervals, and a
    third interval, the gap, that no metric spans."""
    made = [
        ReplayedRow(round=r, interval=i, function=f, cause=c, cycles100=cycles * 50, instructions=executed // 2)
        for r in rounds for i in (0, 1, 2) for (f, c), (cycles, executed) in rows.items()
    ]  # fmt: skip
    return Replay(rounds=rounds, complete=6, asked=6, cut=False, rows=tuple(made))


def side(replay: Replay | None, cpu: str = "zen3", problem: Reason | None = None) -> TracedSide:
    return TracedSide(replay=replay, operations=OPERATIONS, intervals=range(2), cpu=cpu, problem=problem)


BASE = {("walk", "tlb"): (800, 1000), ("walk", "width"): (200, 0), ("sum", "width"): (1000, 2000)}
HEAD = {("walk", "tlb"): (800, 1000), ("walk", "width"): (200, 0), ("sum", "width"): (2000, 5000)}


def counted(values: tuple[float, float] = (300.0, 600.0)) -> Finding:
    return finding("debian:6.16.12", "debian:6.17.13", values)


def predicted(
    base: dict[tuple[str, str], tuple[int, int]] = BASE, head: dict[tuple[str, str], tuple[int, int]] = HEAD,
    values: tuple[float, float] = (300.0, 600.0), cpu: OnCpu = ZEN3,
) -> Prediction:  # fmt: skip
    return prediction(counted(values), cpu, side(replayed(base)), side(replayed(head)), wide)


def test_time_is_cycles_by_clock_and_operations_of_the_intervals_that_the_metric_spans() -> None:
    found = predicted()
    assert (found.base_ns, found.head_ns) == (2000 / 2.0 / OPERATIONS, 3000 / 2.0 / OPERATIONS)
    assert (found.change, found.level) == (0.5, 0.9)
    assert found.interval == pytest.approx((0.4, 0.6))
    assert (found.base_instructions, found.head_instructions) == (300.0, 600.0)
    assert found.base_rounds == (100.0, 100.0) and found.evidence == "predicted" and found.doubts == ()


def test_causes_and_rows_add_up_to_the_time() -> None:
    found = predicted(cpu=ZEN3._replace(weights={"tlb": 1.3}))
    assert found.base_ns == pytest.approx(100 + 0.3 * 40)
    for part in (found.causes, found.rows):
        assert fsum(one.base_ns for one in part) == pytest.approx(found.base_ns, rel=1e-12)
        assert fsum(one.head_ns for one in part) == pytest.approx(found.head_ns, rel=1e-12)
    assert [row.function for row in found.rows] == ["sum", "walk"]
    assert all(fsum(c.head_ns for c in row.causes) == pytest.approx(row.head_ns) for row in found.rows)
    assert fsum(found.head_rounds) / 2 == pytest.approx(found.head_ns)


def test_rounds_far_from_the_value_are_left_out() -> None:
    disturbed = replayed(HEAD)
    rows = (
        *disturbed.rows,
        ReplayedRow(round=6, interval=0, function="other", cause="l3", cycles100=9, instructions=1),
    )
    one = side(replace(disturbed, rows=rows))
    steady = one._replace(chosen=frozenset({8, 12}))
    found = prediction(counted(), ZEN3, side(replayed(BASE)), steady, wide)
    assert found.head_rounds == (150.0,) and found.doubts == ()
    without = one._replace(chosen=frozenset({8}))
    assert len(prediction(counted(), ZEN3, side(replayed(BASE)), without, wide).head_rounds) == 2


def codes(*reasons: Reason | None) -> list[str]:
    return [one.code for one in reasons if one is not None]


def test_counts_and_prediction_that_differ_are_put_into_words() -> None:
    assert codes(predicted().meaning) == ["counts-over-state"]
    slow = {**BASE, ("walk", "memory"): (4000, 0)}
    assert codes(predicted(head=slow, values=(300.0, 300.0)).meaning) == ["counts-blind"]
    more, less = ({**slow, ("sum", "width"): (1000, executed)} for executed in (2600, 1000))
    assert codes(predicted(head=more, values=(300.0, 360.0)).meaning) == ["counts-under-state"]
    assert codes(predicted(head=less, values=(300.0, 200.0)).meaning) == ["counts-mislead"]
    inside = {**HEAD, ("sum", "width"): (2000, 3500)}
    assert predicted(head=inside, values=(300.0, 450.0)).meaning is None  # inside the interval
    fewer = {**BASE, ("sum", "width"): (1010, 1500)}
    assert codes(predicted(head=fewer, values=(300.0, 250.0)).meaning) == ["counts-without-time"]
    blind = predicted(head=slow, values=(300.0, 300.0)).meaning
    assert blind is not None and blind["cause"] == "memory"
    assert reason_text(blind) == (
        "counts miss the change: 0 % instructions, +200.0 % predicted time on zen3 (+190.0 % to +210.0 %): memory "
        "+200 of +200 ns/page"
    )


def test_a_remark_on_counts_and_time_holds_for_the_whole_interval() -> None:
    opposite = meaning(-0.069, 0.11, (-0.017, 0.265))
    assert opposite is not None and reason_text(opposite) == (
        "the time need not follow the counts: -6.9 % instructions, and the predicted time on zen3 may fall or rise "
        "(-1.7 % to +26.5 %)"
    )
    assert codes(meaning(0.5, 0.1, (-0.1, 0.3))) == ["counts-over-state"]
    assert codes(meaning(0.1, 0.01, (-0.15, 0.05))) == ["counts-without-time"]  # it may fall by more
    assert codes(meaning(-0.042, 0.26, (0.06, 0.49))) == ["counts-mislead"]
    assert codes(meaning(0.02, -0.01, (-0.05, 0.015))) == []


def meaning(counts: float, time: float, interval: tuple[float, float]) -> Reason | None:
    changed = {**BASE, ("sum", "width"): (round(1000 + 2000 * time), round(2000 + 3000 * counts))}
    of = counted((300.0, 300.0 * (1 + counts)))
    return prediction(of, ZEN3, side(replayed(BASE)), side(replayed(changed)), lambda *_: (*interval, 0.9)).meaning


def refusal(base: TracedSide, head: TracedSide, of: Finding | None = None) -> Prediction:
    found = prediction(of or counted(), ZEN3, base, head, wide)
    assert found.refused is not None and found.change is None and found.interval is None
    return found


def test_without_two_replays_nothing_is_predicted() -> None:
    found = refusal(side(None), side(replayed(HEAD)))
    assert codes(found.refused) == ["no-trace"] and found.base_ns is None
    why = reason("trace-too-short", "debian:6.17.13")
    assert refusal(side(replayed(BASE)), side(None, problem=why)).refused == why
    short = refusal(side(replayed(BASE)), side(replayed(HEAD, rounds=())))
    assert short.refused == why


def test_unmodelled_cost_is_refused_and_the_rest_is_predicted() -> None:
    several = refusal(side(replayed(BASE)), side(replace(replayed(HEAD), cpus=2)))
    assert codes(several.refused) == ["several-cpus"] and several.head_ns == 150.0
    holes = {**HEAD, ("sum", "unknown"): (600, 10)}
    unknown = refusal(side(replayed(BASE)), side(replace(replayed(holes), unknown=("vpfoo ymm",))))
    assert codes(unknown.refused) == ["instructions-without-data"]
    assert unknown.refused is not None and unknown.refused["forms"] == (("vpfoo ymm", 0),)
    machine = on_cpus(counted(), 2)
    sent = {**HEAD, ("smp_call_function_many_cond", "width"): (10, 100)}
    ipis = refusal(side(replayed(BASE)), side(replayed(sent)), machine)
    assert codes(ipis.refused) == ["interrupts-between-cpus"]


def test_rounds_that_the_value_does_not_stand_for_give_no_prediction() -> None:
    """A sort whose last round runs to the end of the program: recorded rounds execute 2.6 times what the value has."""
    found = refusal(side(replayed(BASE)), side(replayed(HEAD)), counted((300.0, 230.0)))
    assert codes(found.refused) == ["traced-rounds-differ"] and found.refused is not None
    assert (found.refused.kernel, found.refused["traced"], found.refused["value"]) == ("debian:6.17.13", 600.0, 230.0)
    assert codes(*found.doubts) == [] and found.change is None


def on_cpus(f: Finding, cpus: int) -> Finding:
    return replace(f, machine=replace(f.machine, cpus=cpus))


def test_an_interval_that_is_refused_takes_the_change_with_it() -> None:
    why = reason("trace-too-short")
    found = prediction(counted(), ZEN3, side(replayed(BASE)), side(replayed(HEAD)), lambda base, head: why)
    assert (found.refused, found.change, found.base_ns) == (why, None, 100.0)


def test_doubts_are_named_with_the_side_they_concern() -> None:
    cut = replace(replayed(HEAD), cut=True, complete=4)
    found = prediction(counted((300.0, 610.0)), ZEN3, side(replayed(BASE), cpu=""), side(cut), wide)
    assert codes(*found.doubts) == ["trace-cut", "traced-rounds-differ", "other-cpu-booted"]
    assert [one.kernel for one in found.doubts[:2]] == ["debian:6.17.13"] * 2
    busy = replace(replayed(HEAD), others=((6, 0, 400), (12, 2, 4000)))
    found = prediction(counted((300.0, 620.0)), ZEN3, side(replayed(BASE)), side(busy), wide)
    assert codes(*found.doubts) == ["others-not-predicted"]
    some = {**HEAD, ("sum", "unknown"): (60, 10)}
    assert codes(*predicted(head=some, values=(300.0, 601.0)).doubts) == ["instructions-without-data"]


def test_a_cpu_that_was_booted_under_its_own_name_is_not_another() -> None:
    calibrated = ZEN3._replace(name="host", guest="zen3")
    found = prediction(counted(), calibrated, side(replayed(BASE)), side(replayed(HEAD)), wide)
    assert codes(*found.doubts) == []


def test_functions_that_the_c_library_chose_for_another_cpu_are_named() -> None:
    rows = {**BASE, ("__memmove_avx_unaligned_erms", "width"): (100, 100)}
    lacks = side(replayed(rows))._replace(lacking=("fsrm",))
    found = prediction(counted(), ZEN3, lacks, lacks, wide)
    (doubt,) = (one for one in found.doubts if one.code == "library-chose")
    assert doubt["functions"] == (("__memmove_avx_unaligned_erms", 0),) and doubt["features"] == (("fsrm", 0),)
    without = side(replayed(BASE))._replace(lacking=("fsrm",))
    assert "library-chose" not in codes(*prediction(counted(), ZEN3, without, without, wide).doubts)


def test_functions_that_the_kernel_chose_for_another_cpu_are_named() -> None:
    rows = {**BASE, ("memset_orig", "width"): (100, 100)}
    golden_cove = ZEN3._replace(real=cpus()["alderlake_p"])
    told = [prediction(counted(), cpu, side(replayed(rows)), side(replayed(rows)), wide).doubts
            for cpu in (golden_cove, ZEN3)]  # fmt: skip
    (doubt,) = (one for one in told[0] if one.code == "kernel-chose")
    assert (doubt["functions"], doubt["features"]) == ((("memset_orig", 0),), (("fsrs", 0),))
    assert "kernel-chose" not in codes(*told[1])


def test_mitigations_of_the_emulated_cpu_alone_are_named_with_the_options_that_end_them() -> None:
    base, head = side(replayed(BASE)), side(replayed(BASE))._replace(needless=(PAGE_TABLES, RETPOLINES))
    xeon = ZEN3._replace(real=cpus()["sapphirerapids"])
    (doubt,) = (one for one in prediction(counted(), xeon, base, head, wide).doubts if one.code == "kernel-mitigates")
    assert reason_text(doubt) == (
        "the kernel has PTI, Retpolines on the emulated CPU only; to end them: "
        "--cpu sapphirerapids --cmdline 'nopti spectre_v2=off'"
    )
    assert "kernel-mitigates" not in codes(*prediction(counted(), xeon, base, base, wide).doubts)
    ended = side(replayed(BASE))._replace(needless=(RETPOLINES_KEPT,))
    older = ZEN3._replace(real=cpus()["icelake_sp"])
    (doubt,) = (
        one for one in prediction(counted(), older, ended, ended, wide).doubts if one.code == "kernel-mitigates"
    )
    assert reason_text(doubt) == "the kernel has Retpolines on the emulated CPU only"


def test_huge_pages_are_taken_as_small_ones_and_that_is_told() -> None:
    small = side(replayed(BASE))
    huge = small._replace(huge_kb=16384)
    told = [codes(*prediction(counted(), ZEN3, base, small, wide).doubts) for base in (huge, small)]
    assert ["huge-pages-as-small" in doubts for doubts in told] == [True, False]
