# SPDX-License-Identifier: GPL-2.0-only
"""pyperf's own programs read the file."""

import subprocess
import sys
from pathlib import Path

import pyperf
import pytest
from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.report.formats.pyperf import render
from tests.report.reports import SAMPLES


def _suite(sample: str) -> pyperf.BenchmarkSuite:
    return pyperf.BenchmarkSuite.loads(render(SAMPLES[sample]()))


def _pyperf(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "pyperf", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_boot_is_a_run_and_its_value_is_in_seconds() -> None:
    base, head = _suite("timed").get_benchmarks()
    assert base.get_name() == "mprotect iteration debian:6.16.12" and base.get_unit() == "second"
    assert [run.values for run in base.get_runs()][:2] == [(346.8e-9,), (350.61e-9,)]
    assert len(head.get_runs()) == 10
    assert head.get_metadata()["kassay_machine"] == "x86_64, kvm, 1 CPU, 14GiB"


def test_settings_that_differ_have_benchmarks_of_their_own() -> None:
    names = _suite("matrix").get_benchmark_names()
    assert len(names) == 9 and len(set(names)) == 9


def test_counts_are_refused_with_a_way_out() -> None:
    for sample in ("ladder", "refused", "empty", "robot"):
        with pytest.raises(BadInput, match="no times of single boots") as caught:
            render(SAMPLES[sample]())
        assert "--format csv" in caught.value.remedy
        assert ("measure with --clock kvm" in caught.value.remedy) == (sample != "robot")  # others measured that


@pytest.mark.parametrize("changes", [{"verdict": "state-mismatch"}, {"evidence": "unstable"}])
def test_times_that_kassay_does_not_judge_are_left_out(changes: dict[str, str]) -> None:
    report = SAMPLES["timed"]()
    with pytest.raises(BadInput, match="refused every comparison") as caught:
        render(replace(report, findings=tuple(replace(f, **changes) for f in report.findings)))
    assert "--format json or csv" in caught.value.remedy


def test_kernels_behind_a_refused_step_are_left_out() -> None:
    report = SAMPLES["matrix"]()
    second = replace(report.findings[1], verdict="state-mismatch", change=None)
    suite = render(replace(report, findings=(report.findings[0], second, *report.findings[2:])))
    names = pyperf.BenchmarkSuite.loads(suite).get_benchmark_names()
    assert len(names) == 8 and [name.count("mm-unstable") for name in names[:3]] == [0, 0, 0]


def test_a_time_of_zero_is_refused_and_not_left_out() -> None:
    report = SAMPLES["timed"]()
    base, head = report.findings[0].sides
    broken = replace(report.findings[0], sides=(replace(base, runs=(0.0, *base.runs[1:])), head))
    with pytest.raises(BadInput, match="a time of zero"):
        render(replace(report, findings=(broken,)))


@pytest.mark.slow
def test_pyperf_compares_two_kernels_of_one_file_as_the_documentation_says(tmp_path: Path) -> None:
    whole = tmp_path / "report.pyperf.json"
    whole.write_text(render(SAMPLES["timed"]()))
    for kernel in ("6.16.12", "6.17.13"):
        one, named = tmp_path / "one.json", tmp_path / f"{kernel}.json"
        _pyperf("convert", str(whole), "--include-benchmark", f"mprotect iteration debian:{kernel}", "-o", str(one))
        _pyperf("convert", str(one), "--update-metadata", "name=iteration", "-o", str(named))
        one.unlink()
    assert "347 ns +- 3 ns" in _pyperf("show", "--quiet", str(tmp_path / "6.16.12.json"))
    text = _pyperf("compare_to", str(tmp_path / "6.16.12.json"), str(tmp_path / "6.17.13.json"))
    assert "[6.16.12] 347 ns +- 3 ns -> [6.17.13] 579 ns +- 6 ns: 1.67x slower" in text
