# SPDX-License-Identifier: GPL-2.0-only
"""will-it-scale: seconds of one run are not runs; the printed average proves that no line is missing."""

from pathlib import Path

import pytest

from tests.imports.files import DATA, both, changed, imported, one, refused, values

FILE = DATA / "page_fault2_processes-a.txt"
OTHER = f"b={DATA / 'page_fault2_processes-b.txt'}"
CSV = DATA / "page_fault2-a.csv"
TITLE = "Separate file private mapping page fault"


def test_measured_seconds_are_inner_values_and_the_warm_up_is_left_out() -> None:
    samples = imported(*both("page_fault2_processes", ".txt"))
    series = one(samples, "a", "operations", mode="processes")
    assert series.samples[0].inner == (228616.0, 125380.0, 188365.0, 116591.0, 237171.0)
    assert values(series) == [188365.0]
    assert (series.workload, series.unit, series.better) == (TITLE, "ops/s", "higher")
    assert samples.replication == "interval"
    assert any("number of tasks" in note for note in samples.notes)


def test_the_title_tells_the_test_and_the_files_name_at_most_the_mode(tmp_path: Path) -> None:
    for name, mode in (("run7.txt", None), ("6.12-brk1_threads.txt", "threads"), ("old_processes", "processes"),
                       ("tlb_flush2_processes.6.12.log", "processes")):  # fmt: skip
        words = []
        for kernel in "ab":
            (tmp_path / kernel).mkdir(exist_ok=True)
            copy = tmp_path / kernel / name
            copy.write_bytes((DATA / f"page_fault2_processes-{kernel}.txt").read_bytes())
            words.append(f"{kernel}={copy}")
        series = one(imported(*words), "a", "operations")
        assert (series.workload, [s.value for s in series.settings]) == (TITLE, [mode] if mode else [])


def test_results_that_share_nothing_are_refused_with_what_differs(tmp_path: Path) -> None:
    for name in ("before", "after"):
        (tmp_path / f"{name}.csv").write_bytes((DATA / f"page_fault2-{'ab'[name == 'after']}.csv").read_bytes())
    said = refused(f"a={tmp_path / 'before.csv'}", f"b={tmp_path / 'after.csv'}")
    assert "nothing was measured on two kernels: a has workload 'before', b workload 'after'" in said
    (tmp_path / "x_threads").write_bytes(FILE.read_bytes())
    said = refused(f"a={tmp_path / 'x_threads'}", OTHER)
    assert "a has mode=threads, b mode=processes" in said


def test_the_csv_of_runtest_has_a_setting_per_row_and_no_linear() -> None:
    samples = imported(*both("page_fault2", ".csv"))
    assert values(one(samples, "a", "operations", mode="processes", tasks="2")) == [849157.0]
    assert values(one(samples, "a", "idle", mode="threads", tasks="1")) == [45.95]
    assert {series.workload for series in samples.series} == {"page_fault2"}
    assert {s.value for series in samples.series for s in series.settings if s.name == "tasks"} == {"1", "2"}
    assert {series.metric for series in samples.series if series.primary} == {"operations"}


def test_a_run_of_runtest_without_average_failed(tmp_path: Path) -> None:
    broken = changed(tmp_path, CSV, "849157", "-1")
    series = one(
        imported(f"a={broken}", both("page_fault2", ".csv")[1]), "a", "operations", mode="processes", tasks="2"
    )
    assert [(s.value, s.detail) for s in series.samples] == [(None, "no average")]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("average:179224\n", "", "line 15: no average, so the run did not end"),
        ("average:179224", "average:179225", "average:179225 is not that of the 5 measured seconds"),
        ("total:228616\n", "total:2286", "line 10: 'min:108225"),
        ("min:59055 max:66325 total:125380\n", "", "is not that of the 4 measured seconds"),
        ("total:125380", "total:nan", "line 11: 'min:59055 max:66325 total:nan' is not will-it-scale's"),
        ("total:125380", "total:-5", "total:-5' is not will-it-scale's"),
        ("average:179224", "average:1e5", "line 15: '1e5' is not a whole number"),
        ("average:179224", "average:179224\ntestcase:again", "line 16: a second run in one file"),
        ("average:179224", "average:179224\nmin:1 max:1 total:1", "line 16: 'min:1 max:1 total:1' is not"),
        ("measurement\n", "", "is not that of the 0 measured seconds"),
    ],
)
def test_damaged_output_is_refused_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refused(f"a={changed(tmp_path, FILE, old, new)}", OTHER)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("849157", "many", "line 4: 'many' is not a finite decimal number"),
        ("849157", "-7", "line 4: -7 is negative"),
        ("0.05", "inf", "line 4: 'inf' is not a finite"),
        ("2,849157", "2.5,849157", "line 4: '2.5' is not a whole number"),
        (",926816", "", "line 4: 5 cells, the header has 6"),
    ],
)
def test_a_damaged_csv_is_refused_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refused(f"a={changed(tmp_path, CSV, old, new)}")


def test_a_csv_that_ends_inside_a_row_is_refused(tmp_path: Path) -> None:
    cut = tmp_path / "page_fault2.csv"
    cut.write_text(CSV.read_text()[:-4])
    assert "the file ends inside this line" in refused(f"a={cut}")


@pytest.mark.parametrize(
    ("name", "test"),
    [("page_fault2-a.csv", "page_fault2"), ("6.12-page_fault1.csv", "page_fault1"), ("v6.12_x-malloc1.csv", "malloc1"),
     ("before.csv", "before")],
)  # fmt: skip
def test_the_files_name_tells_the_test_of_a_csv(tmp_path: Path, name: str, test: str) -> None:
    (tmp_path / name).write_bytes(CSV.read_bytes())
    other = tmp_path / "other" / name
    other.parent.mkdir()
    other.write_bytes((DATA / "page_fault2-b.csv").read_bytes())
    samples = imported(f"a={tmp_path / name}", f"b={other}")
    assert {series.workload for series in samples.series} == {test}


def test_a_csv_whose_name_tells_no_test_is_refused(tmp_path: Path) -> None:
    (tmp_path / "6.12.csv").write_bytes(CSV.read_bytes())
    assert "does not say which test" in refused(f"a={tmp_path / '6.12.csv'}", f"b={DATA / 'page_fault2-b.csv'}")
