# SPDX-License-Identifier: GPL-2.0-only
"""google-benchmark JSON: repetitions of one process, units brought together, errors as outcomes."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.imports.files import DATA, both, imported, refused, values

FILE = DATA / "google-benchmark-a.json"
NAME = "BM_mprotect/64"


def rewritten(tmp_path: Path, change: Callable[[Any], object]) -> tuple[str, str]:
    top = json.loads(FILE.read_text())
    change(top)
    file = tmp_path / "x.json"
    file.write_text(json.dumps(top))
    return f"a={file}", both("google-benchmark", ".json")[1]


def raw(name: str, field: str) -> list[float]:
    return [b[field] for b in json.loads(FILE.read_text())["benchmarks"]
            if b["run_name"] == name and b["run_type"] == "iteration"]  # fmt: skip


def test_repetitions_are_inner_values_of_one_sample_in_nanoseconds() -> None:
    samples = imported(*both("google-benchmark", ".json"))
    (series,) = [s for s in samples.series if (s.kernel, s.workload, s.metric) == ("a", NAME, "real_time")]
    expected = [value * 1000 for value in raw(NAME, "real_time")]
    assert len(expected) == 5 and list(series.samples[0].inner) == expected
    assert values(series) == [median(expected)]
    assert (series.unit, series.better, series.primary) == ("ns", "lower", True)
    assert series.samples[0].started_utc == "2026-11-21T23:30:54Z"
    assert samples.replication == "interval" and samples.machine == "vm, 2 CPUs, 2700 MHz"


def test_rates_and_counters_are_read_and_are_not_the_answer() -> None:
    samples = imported(*both("google-benchmark", ".json"))
    rates = [s for s in samples.series if s.metric == "items_per_second" and s.kernel == "a"]
    assert {(s.unit, s.better, s.primary) for s in rates} == {("items/s", "higher", False)}
    assert [s.samples[0].inner for s in rates if s.workload == NAME] == [tuple(raw(NAME, "items_per_second"))]
    (counter,) = [s for s in samples.series if s.metric == "mappings" and s.kernel == "a"]
    assert (counter.better, values(counter)) == ("unknown", [1.0])
    assert any("no second witness" in note for note in samples.notes)


def test_a_benchmark_that_failed_is_an_outcome_and_not_a_zero() -> None:
    samples = imported(*both("google-benchmark", ".json"))
    broken = [s for s in samples.series if s.workload == "BM_broken" and s.metric == "real_time"]
    assert [(s.kernel, values(s), s.samples[0].detail) for s in broken] == [("a", [None], "no huge pages here")]


def test_a_benchmark_of_which_one_repetition_failed_has_no_value(tmp_path: Path) -> None:
    def entry(time: float, **more: object) -> dict[str, object]:
        return {"name": "BM", "run_name": "BM", "run_type": "iteration", "real_time": time, "cpu_time": time,
                "time_unit": "ns", **more}  # fmt: skip

    failed = entry(0, error_occurred=True, error_message="mmap failed")
    entries = {"a": [entry(100)] * 3, "b": [entry(50), failed, failed]}
    for kernel, benchmarks in entries.items():
        (tmp_path / f"{kernel}.json").write_text(json.dumps({"context": {}, "benchmarks": benchmarks}))
    samples = imported(f"a={tmp_path}/a.json", f"b={tmp_path}/b.json")
    (found,) = [s.samples[0] for s in samples.series if (s.kernel, s.metric) == ("b", "real_time")]
    assert (found.value, found.detail) == (None, "2 of 3 repetitions failed: mmap failed")


def test_aggregates_alone_give_their_median_and_a_remark() -> None:
    samples = imported(f"a={DATA / 'google-benchmark-aggregates.json'}", both("google-benchmark", ".json")[1])
    (series,) = [s for s in samples.series if (s.kernel, s.workload, s.metric) == ("a", NAME, "real_time")]
    assert series.samples[0].inner == ()
    assert any("only aggregates were written" in note for note in samples.notes)


def test_a_library_built_for_debugging_is_remarked() -> None:
    assert any("built for debugging" in note for note in imported(*both("google-benchmark", ".json")).notes)


def test_one_benchmark_in_two_time_units_is_one_unit(tmp_path: Path) -> None:
    def in_ns(top: Any) -> None:
        for entry in top["benchmarks"]:
            if entry["run_name"] == NAME and entry["run_type"] == "iteration":
                entry.update(time_unit="ns", real_time=entry["real_time"] * 1000, cpu_time=entry["cpu_time"] * 1000)

    plain, converted = imported(*both("google-benchmark", ".json")), imported(*rewritten(tmp_path, in_ns))
    for before, after in zip(plain.series, converted.series, strict=True):
        assert values(after) == values(before)


def put(path: str, value: object) -> Callable[[Any], object]:
    def change(top: Any) -> None:
        *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
        at = top
        for step in way:
            at = at[step]
        if value is KeyError:
            del at[last]
        else:
            at[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("benchmarks.0.real_time", "1.5"), "benchmarks[0].real_time: a text where a number should be"),
        (put("benchmarks.0.real_time", -1.5), "benchmarks[0].real_time: -1.5 is negative"),
        (put("benchmarks.0.real_time", None), "benchmarks[0].real_time: null where a number should be"),
        (put("benchmarks.0.real_time", 10**400), "benchmarks[0].real_time:"),
        (put("benchmarks.0.real_time", KeyError), "has no 'real_time'"),
        (put("benchmarks.0.time_unit", "fortnight"), "benchmarks[0].time_unit: unknown unit 'fortnight'"),
        (put("benchmarks.0.items_per_second", -2), "benchmarks[0].items_per_second: -2 is negative"),
        (put("benchmarks.0", 5), "benchmarks[0]: 5 where an object should be"),
        (put("benchmarks.0.run_name", 5), "benchmarks[0].run_name: 5 where a text should be"),
        (put("benchmarks", []), "benchmarks: no results"),
        (put("benchmarks", {}), "benchmarks: an object where a list should be"),
        (put("context", 3), "context: 3 where an object should be"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(tmp_path: Path, change: Callable[[Any], object], said: str) -> None:
    assert said in refused(*rewritten(tmp_path, change))


def test_nan_which_the_tool_can_write_is_refused_with_its_line(tmp_path: Path) -> None:
    text = FILE.read_text().replace('"mhz_per_cpu": 2700', '"mhz_per_cpu": NaN')
    (tmp_path / "x.json").write_text(text)
    assert "x.json: line 7: not JSON: invalid character" in refused(f"a={tmp_path / 'x.json'}")


def test_a_negative_counter_of_the_benchmarks_author_is_left_out_and_said(tmp_path: Path) -> None:
    for kernel in "ab":
        found = json.loads((DATA / f"google-benchmark-{kernel}.json").read_text())
        for entry in found["benchmarks"]:
            entry |= {"drift": -3.5, "hits": 7}
        (tmp_path / f"{kernel}.json").write_text(json.dumps(found))
    samples = imported(*(f"{kernel}={tmp_path / f'{kernel}.json'}" for kernel in "ab"))
    metrics = {series.metric for series in samples.series}
    assert "hits" in metrics and "drift" not in metrics
    assert any("counter drift is negative" in note for note in samples.notes)
