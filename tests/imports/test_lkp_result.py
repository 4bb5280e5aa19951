# SPDX-License-Identifier: GPL-2.0-only
"""LKP's result directories: what a path tells, which files count, runs and intervals, incomplete runs."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from kassay.tools.imports.formats.lkp_result import result_files, where
from kassay.tools.imports.lkp_keys import headline_of, metric_of
from tests.imports.files import LKP, imported, one, refused, values

BASE, HEAD = "9f9d0b0869", "ba6149e960"
ORDER = (BASE, HEAD)
OPS = "will-it-scale.per_process_ops"
LAYOUT = "result/will-it-scale/process-16-page_fault2/box-2sp1/debian/x86_64-rhel/gcc-12/v6.12"


def put(path: Path, **keys: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps({key.replace("__", "."): value for key, value in keys.items()}).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_a_directory_gives_runs_of_both_commits_from_files_and_from_a_matrix() -> None:
    samples = imported(str(LKP), order=ORDER)
    base, head = one(samples, BASE, OPS), one(samples, HEAD, OPS)
    assert base.primary and [s.run for s in base.samples] == ["0", "1", "2"] and None not in values(base)
    assert [s.detail for s in head.samples] == ["", "", "", "LKP: incomplete run"] and values(head)[3] is None
    assert [(s.name, s.value) for s in base.settings] == [("parameters", "process-16-page_fault2")]
    assert (base.workload, base.better, base.unit) == ("will-it-scale", "higher", "ops/s")
    assert samples.kernels[1].commit == "ba6149e96007edcdb01284c1531ebd49b4720f72"
    assert (samples.machine, samples.replication) == ("box-2sp1", "unknown")
    assert any("missing value with 0" in note for note in samples.notes)


def test_single_files_named_by_the_user_need_no_path(tmp_path: Path) -> None:
    files = [put(tmp_path / f"{i}.json", will_it_scale__per=[i]) for i in (5, 6)]
    samples = imported(f"old={files[0]}", f"new={files[1]}")
    assert [kernel.label for kernel in samples.kernels] == ["old", "new"]
    assert len({series.workload for series in samples.series}) == 1  # whatever the files are called
    assert "a path outside of result/ does not tell" in refused(str(files[0]), str(files[1]))


def test_the_whole_layout_tells_every_axis_and_less_of_it_the_commit_alone() -> None:
    whole = where(Path(f"/lkp/{LAYOUT}/3/will-it-scale.json"))
    assert (whole.axes["testcase"], whole.axes["compiler"], whole.commit, whole.run) == (
        "will-it-scale", "gcc-12", "v6.12", "3",
    )  # fmt: skip
    assert where(Path(f"/lkp/{LAYOUT}/matrix.json")) == (whole.axes, None)
    assert where(Path("/tmp/v6.12/0/x.json")) == ({"commit": "v6.12"}, "0")
    assert where(Path("/tmp/v6.12/matrix.json.gz")) == ({"commit": "v6.12"}, None)
    assert where(Path("/tmp/x.json")) == ({}, None)


def test_directory_is_read_once_per_run_without_mixed_matrices(tmp_path: Path) -> None:
    commit = tmp_path / LAYOUT
    matrix = put(commit / "matrix.json", a__b=[1, 2])
    put(commit / "0" / "will-it-scale.json", a__b=[1])
    put(commit.parent / "matrix.json", a__b=[9, 9, 9])
    other = commit.parent / "v6.17"
    test = put(other / "0" / "will-it-scale.json.gz", a__b=[1])
    put(other / "0" / "vmstat.json", a__b=[1])
    run = put(other / "1" / "matrix.json.gz", a__b=[1, 2, 3])
    assert set(result_files(tmp_path)) == {matrix, test, run}
    assert set(result_files(other)) == {test, run}


def test_intervals_of_one_run_become_one_value_by_lkps_rules(tmp_path: Path) -> None:
    keys = {"vmstat__system__cs": [10, 20, 60], "proc-vmstat__pgfault": [100, 150, 400], "time__user_time": [3, 4],
            "will-it-scale__workload": [7]}  # fmt: skip
    runs = [put(tmp_path / kernel / "0" / "will-it-scale.json", **keys) for kernel in ("a", "b")]
    put(runs[1], **{**keys, "last_state__is_incomplete_run": [1]})
    samples = imported(*map(str, runs), order=("a", "b"))
    found = {series.metric: values(series) for series in samples.series if series.kernel == "a"}
    assert found == {"vmstat.system.cs": [30.0], "proc-vmstat.pgfault": [300.0], "time.user_time": [7.0],
                     "will-it-scale.workload": [7.0]}  # fmt: skip
    assert {s.detail for series in samples.series if series.kernel == "b" for s in series.samples} == {
        "LKP: incomplete run"
    }


def test_axes_that_differ_are_settings(tmp_path: Path) -> None:
    for value, (box, commit) in enumerate((("box-1", "v6.12"), ("box-2", "v6.12"), ("box-1", "v6.17")), 3):
        place = LAYOUT.replace("box-2sp1", box).replace("v6.12", commit)
        put(tmp_path / place / "0" / "will-it-scale.json", a__b=[value])
    samples = imported(str(tmp_path), order=("v6.12", "v6.17"))
    assert values(one(samples, "v6.12", "a.b", tbox_group="box-2")) == [4.0]


def test_two_directories_in_the_users_order_still_need_it_said() -> None:
    base, head = sorted(LKP.glob("result/*/*/*/*/*/*/*"))
    assert [k.label for k in imported(f"old={base}", f"new={head}").kernels] == ["old", "new"]
    assert "does not tell which commit is the base" in refused(str(base), str(head))


def test_text_keys_are_counted_and_left_out(tmp_path: Path) -> None:
    shutil.copytree(LKP, tmp_path / "lkp")
    (run,) = (tmp_path / "lkp").glob(f"result/*/*/*/*/*/*/{BASE}*/0/will-it-scale.json")
    put(run, a__state=["good", "bad"], **{OPS: [1]})
    assert any("1 keys hold text" in note for note in imported(str(tmp_path / "lkp"), order=ORDER).notes)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"a__b": [1, None]}, "a.b[1]: null where a number should be"),
        ({"a__b": [1, "x"]}, "a.b[1]: a text where a number should be"),
        ({"a__b": [True]}, "a.b[0]: a truth value where a number should be"),
        ({"a__b": []}, "a.b: an empty list"),
        ({"a__b": [1], "a__c": 5}, "a.c: 5 where a list should be"),
        ({"a__b": ["x"]}, "no numbers"),
        ({"will-it-scale__per_process_ops": [-1]}, "-1 is negative"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(tmp_path: Path, keys: dict[str, object], said: str) -> None:
    bad = put(tmp_path / "will-it-scale.json", **keys)
    good = put(tmp_path / "good.json", a__b=[1], **{"will-it-scale.per_process_ops": [2]})
    assert said in refused(f"a={bad}", f"b={good}")


def test_what_a_key_means_is_said_where_lkp_defines_it() -> None:
    copy = metric_of("perf-profile.self.cycles-pp.copy_page")
    assert (copy.unit, copy.better) == ("%", "unknown") and "copy_page itself" in copy.definition
    assert metric_of("perf-profile.self.cycles-pp.{0}").definition.endswith("{0} itself")
    assert "not instructions per operation" in metric_of("perf-stat.overall.path-length").definition
    assert metric_of("mpstat.cpu.all.usr%").unit == "%"
    assert metric_of("no.such.thing").better == "unknown"
    assert headline_of(["vmstat.cpu.sy", "dd.x", "stress-ng.fork.ops_per_sec"], "dd") == "stress-ng.fork.ops_per_sec"
    assert headline_of(["vmstat.cpu.sy", "dd.x"], "dd") == "dd.x" and headline_of(["vmstat.cpu.sy"], "dd") is None


def test_finding_the_files_of_many_runs_holds_no_directory_against_every_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for commit in range(20):
        for run in range(10):
            put(tmp_path / f"commit{commit}" / str(run) / "x.json", x__y=[1])
    looked = 0
    plain = Path.parents

    def counted(path: Path) -> object:
        nonlocal looked
        looked += 1
        return plain.__get__(path)

    monkeypatch.setattr(Path, "parents", property(counted))
    assert len(result_files(tmp_path)) == 200
    assert looked <= 220


def test_the_hundredth_run_is_a_run(tmp_path: Path) -> None:
    directory = tmp_path / "result"
    shutil.copytree(LKP / "result", directory)
    (run,) = directory.glob(f"*/*/*/*/*/*/{BASE}*/2")
    run.rename(run.with_name("100"))
    base = one(imported(str(directory), order=ORDER), BASE, OPS)
    assert [sample.run for sample in base.samples] == ["0", "1", "100"]
