# SPDX-License-Identifier: GPL-2.0-only
"""pyperf JSON: processes are not boots, unless their boot times say so."""

import json
from pathlib import Path
from statistics import median
from typing import Any

import pyperf
import pytest

from tests.imports.files import DATA, both, changed, imported, refused, values

FILE = DATA / "pyperf-a.json"


def rewritten(tmp_path: Path, name: str, **metadata: str | None) -> Path:
    """The real file with other common metadata; None removes a field."""
    top = json.loads(FILE.read_text())
    for key, value in metadata.items():
        top["metadata"].pop(key, None)
        if value is not None:
            top["metadata"][key] = value
    top["benchmarks"][0]["metadata"]["comment"] = name  # so that no two files have the same content
    file = tmp_path / name
    file.write_text(json.dumps(top))
    return file


def test_the_values_are_those_that_pyperf_itself_reads() -> None:
    samples = imported(*both("pyperf", ".json"))
    for benchmark in pyperf.BenchmarkSuite.load(str(FILE)).get_benchmarks():
        (series,) = [s for s in samples.series if (s.kernel, s.workload) == ("a", benchmark.get_name())]
        per_process = [median(value * 1e9 for value in run.values) for run in benchmark.get_runs() if run.values]
        assert len(per_process) == 4
        assert list(series.samples[0].inner) == per_process and values(series) == [median(per_process)]
        assert (series.unit, series.better, series.metric, series.cpus) == ("ns", "lower", "time", 2)
    assert samples.replication == "process"
    assert samples.sources[0].format == f"pyperf {pyperf.__version__}"


def test_without_a_name_the_kernel_is_the_release_of_the_platform(tmp_path: Path) -> None:
    other = rewritten(tmp_path, "new.json", platform="Linux-6.19.8-rc1-aarch64-with-glibc2.36")
    kernels = imported(str(FILE), str(other)).kernels
    assert [(k.label, k.release, k.arch) for k in kernels] == [
        ("6.18.44", "6.18.44", "x86_64"),
        ("6.19.8-rc1", "6.19.8-rc1", "aarch64"),
    ]


def test_equal_boot_times_are_one_boot_and_different_ones_are_several(tmp_path: Path) -> None:
    same = rewritten(tmp_path, "same.json", boot_time="2026-11-21 17:04:51")
    later = rewritten(tmp_path, "later.json", boot_time="2026-11-22 09:00:00")
    words = (f"a={FILE}", f"a={same}", f"a={later}", f"b={DATA / 'pyperf-b.json'}")
    samples = imported(*words)
    series = next(s for s in samples.series if s.kernel == "a" and s.workload == "mmap_1MiB")
    assert [len(sample.inner) for sample in series.samples] == [8, 4]
    assert samples.replication == "boot"


def test_without_boot_times_every_file_counts_as_a_boot_that_nothing_proves(tmp_path: Path) -> None:
    files = [rewritten(tmp_path, f"{i}.json", boot_time=None) for i in range(2)]
    samples = imported(*(f"a={file}" for file in files), f"b={DATA / 'pyperf-b.json'}")
    assert samples.replication == "unknown"
    assert {len(s.samples) for s in samples.series if s.kernel == "a"} == {2}


def test_a_machine_has_the_name_of_its_host(tmp_path: Path) -> None:
    other = rewritten(tmp_path, "new.json", hostname="beta")
    assert imported(f"a={FILE}", f"b={other}").machine == "Intel(R) Xeon(R) Processor; beta, Intel(R) Xeon(R) Processor"


def test_two_releases_under_one_name_are_refused(tmp_path: Path) -> None:
    other = rewritten(tmp_path, "new.json", platform="Linux-6.19.8-x86_64-with-glibc2.36")
    assert "has release 6.19.8, but 6.18.44" in refused(f"a={FILE}", f"a={other}")


def test_a_platform_that_is_no_linux_needs_a_name(tmp_path: Path) -> None:
    other = rewritten(tmp_path, "mac.json", platform="macOS-15.1-arm64")
    assert "mac.json: pyperf's metadata does not tell which kernel" in refused(str(FILE), str(other))


def test_a_file_cut_off_is_refused_with_its_line(tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text(FILE.read_text()[:3000])
    lines = cut.read_text().count("\n") + 1
    assert f"cut.json: line {lines}: not JSON: Input data was truncated" in refused(f"a={cut}")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('"fast"', "a text where a number should be"),
        ("null", "null where a number should be"),
        ("-1.0", "-1 is negative"),
        ("true", "a truth value where a number"),
        ("1e999", "not JSON"),
        ("NaN", "not JSON: invalid character"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(tmp_path: Path, value: str, said: str) -> None:
    top: Any = json.loads(FILE.read_text())
    first = json.dumps(top["benchmarks"][0]["runs"][1]["values"][0])
    said_all = refused(f"a={changed(tmp_path, FILE, first, value)}")
    assert ("benchmarks[0].runs[1].values[0]" in said_all) == ("not JSON" not in said)
    assert said in said_all


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"version": "1.0"', '"version": "9.0"', "cannot read it: file format version"),
        ('"unit": "second"', '"unit": "furlong"', "cannot read it"),
        ('"runs"', '"ruins"', "benchmarks[0]: no 'runs'"),
    ],
)
def test_what_the_library_cannot_read_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refused(f"a={changed(tmp_path, FILE, old, new)}")


def test_a_file_without_values_is_refused(tmp_path: Path) -> None:
    cases: list[tuple[list[Any], str]] = [([], "benchmarks: none"), ([{"runs": []}], "benchmarks[0]: no values")]
    for benchmarks, said in cases:
        file = tmp_path / "x.json"
        file.write_text(json.dumps({"version": "1.0", "benchmarks": benchmarks, "x": {"runs": 1}}))
        assert said in refused(f"a={file}")
