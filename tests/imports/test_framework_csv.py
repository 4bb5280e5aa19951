# SPDX-License-Identifier: GPL-2.0-only
"""The seeds' raw CSV: kernels, blocks from start times, derived duplicates, failed and unsupported rows."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.imports.files import DATA, imported, one, refused, values

FILE = DATA / "framework.raw.csv"
Cells = dict[str, str]


def rewritten(tmp_path: Path, change: Callable[[list[Cells]], list[Cells]]) -> str:
    with FILE.open(newline="") as stream:
        table = list(csv.DictReader(stream))
    file = tmp_path / "x.csv"
    with file.open("w", newline="") as stream:
        changed = change(table)
        writer = csv.DictWriter(stream, list(changed[0]))
        writer.writeheader()
        writer.writerows(changed)
    return str(file)


def test_the_real_file_has_two_kernels_and_nine_blocks_of_boots() -> None:
    samples = imported(str(FILE))
    assert [(k.label, k.release) for k in samples.kernels] == [("6.12", "6.12.77"), ("6.19", "6.19.9")]
    base = one(samples, "6.12", "cycle_ns_per_page")
    assert base.primary and base.unit == "ns/page" and "not CPU cycles" in base.definition
    assert [sample.block for sample in base.samples] == list(range(1, 10))
    assert (base.samples[0].value, base.samples[0].started_utc) == (1946.0, "2026-05-13T12:51:06Z")
    assert samples.replication == "boot"
    assert {kernel: len(one(samples, kernel, "ns_per_page").samples) for kernel in ("6.12", "6.19")} == {
        "6.12": 9, "6.19": 9,
    }  # fmt: skip


def test_a_metric_that_is_another_one_times_the_pages_counts_once() -> None:
    samples = imported(str(FILE))
    assert {series.metric for series in samples.series} == {"cycle_ns_per_page", "ns_per_page", "advise_ns_per_page"}
    assert any("cycle_ns_avg is cycle_ns_per_page times 4096 pages" in note for note in samples.notes)


def test_a_metric_that_is_no_multiple_stays(tmp_path: Path) -> None:
    def shaken(table: list[Cells]) -> list[Cells]:
        for i, cells in enumerate(table):
            if cells["metric"] == "cycle_ns_avg":
                cells["value"] = str(float(cells["value"]) * (1 + i / 100))
        return table

    samples = imported(rewritten(tmp_path, shaken))
    assert "cycle_ns_avg" in {series.metric for series in samples.series}
    assert "advise_ns_avg" not in {series.metric for series in samples.series}


def test_a_fixed_order_of_kernels_makes_no_blocks(tmp_path: Path) -> None:
    def fixed(table: list[Cells]) -> list[Cells]:
        for cells in table:
            block = int(cells["run_id"].split("_r")[-1][:2])
            second = "1" if cells["version_family"] == "6.19" else "0"
            cells["run_id"] = cells["run_id"][:-16] + f"20260513T12{block:02}{second}0Z"
        return table

    samples = imported(rewritten(tmp_path, fixed))
    assert {sample.block for series in samples.series for sample in series.samples} == {None}
    assert any("in the same order, which lets drift in" in note for note in samples.notes)


def test_one_kernel_after_the_other_makes_no_blocks(tmp_path: Path) -> None:
    def apart(table: list[Cells]) -> list[Cells]:
        for cells in table:
            day = "14" if cells["version_family"] == "6.19" else "13"
            cells["run_id"] = cells["run_id"].replace("20260513T", f"202605{day}T")
        return table

    notes = imported(rewritten(tmp_path, apart)).notes
    assert any("start times of the repetitions overlap" in note for note in notes)


def test_runs_without_a_start_time_make_no_blocks(tmp_path: Path) -> None:
    notes = imported(rewritten(tmp_path, lambda table: [{**c, "run_id": c["run_id"][:-3]} for c in table])).notes
    assert any("does not name its repetition" in note for note in notes)


def test_scenarios_that_ran_one_after_the_other_have_blocks_of_their_own(tmp_path: Path) -> None:
    def twice(table: list[Cells]) -> list[Cells]:
        return [*table, *({**cells, "scenario": "later", "run_id": cells["run_id"].replace("_16m_", "_later_").replace(
            "20260513T", "20260514T")} for cells in table)]  # fmt: skip

    samples = imported(rewritten(tmp_path, twice))
    found = [s for s in samples.series if s.metric == "cycle_ns_per_page" and s.kernel == "6.19"]
    assert [{sample.block for sample in series.samples} for series in found] == [set(range(1, 10))] * 2


def test_families_that_share_a_version_stay_two_kernels(tmp_path: Path) -> None:
    def shared(table: list[Cells]) -> list[Cells]:
        return [{**cells, "exact_version": "6.19.9"} for cells in table] + [
            {**cells, "exact_version": "6.19.10", "run_id": "x" + cells["run_id"]} for cells in table
        ]

    labels = [kernel.label for kernel in imported(rewritten(tmp_path, shared)).kernels]
    assert sorted(labels) == ["6.12 6.19.10", "6.12 6.19.9", "6.19 6.19.10", "6.19 6.19.9"]


def test_unsupported_is_absent_and_failed_is_an_outcome(tmp_path: Path) -> None:
    def spoiled(table: list[Cells]) -> list[Cells]:
        ours = [cells for cells in table if cells["metric"] == "ns_per_page" and cells["version_family"] == "6.12"]
        ours[0].update(status="failed", failure_reason="qemu rc=139", value="")
        ours[1].update(status="unsupported", value="")
        return table

    samples = imported(rewritten(tmp_path, spoiled))
    base = one(samples, "6.12", "ns_per_page")
    assert len(base.samples) == 8 and values(base)[0] is None
    assert base.samples[0].detail == "qemu rc=139"


def test_a_run_that_failed_as_a_whole_failed_in_every_metric(tmp_path: Path) -> None:
    def crashed(table: list[Cells]) -> list[Cells]:
        run = table[0]["run_id"]
        kept = [cells for cells in table if cells["run_id"] != run]
        return [*kept, {**table[0], "status": "failed", "metric": "", "value": "", "failure_reason": "panic"}]

    samples = imported(rewritten(tmp_path, crashed))
    for metric in ("cycle_ns_per_page", "ns_per_page", "advise_ns_per_page"):
        failed = [sample for sample in one(samples, "6.12", metric).samples if sample.value is None]
        assert [(sample.detail, sample.block) for sample in failed] == [("panic", 1)]
    assert "cycle_ns_avg" not in {series.metric for series in samples.series}


def test_two_versions_of_one_family_are_two_kernels(tmp_path: Path) -> None:
    def split(table: list[Cells]) -> list[Cells]:
        return [{**c, "exact_version": "6.19.10"} if "_r09" in c["run_id"] and "v6_19" in c["run_id"] else c
                for c in table]  # fmt: skip

    assert [k.label for k in imported(rewritten(tmp_path, split)).kernels] == ["6.12", "6.19.9", "6.19.10"]


def test_columns_that_vary_are_settings(tmp_path: Path) -> None:
    def cases(table: list[Cells]) -> list[Cells]:
        return [{**cells, "case": "big" if "_r01" in cells["run_id"] else "small"} for cells in table]

    assert values(one(imported(rewritten(tmp_path, cases)), "6.12", "cycle_ns_per_page", case="big")) == [1946.0]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("value", "NaN", "line 2: 'NaN' is not a finite decimal number"),
        ("value", "-3", "line 2: -3 is negative"),
        ("status", "lost", "line 2: status is 'lost'"),
        ("metric", "", "line 2: no metric"),
        ("scenario", "", "line 2: no scenario"),
        ("metric", "ns_per_page", "repeats ns_per_page of the run at"),
    ],
)
def test_a_malformed_row_is_refused_with_its_line(tmp_path: Path, field: str, value: str, said: str) -> None:
    assert said in refused(rewritten(tmp_path, lambda table: [{**table[0], field: value}, *table[1:]]))


def test_a_file_that_says_its_order_was_random_has_blocks(tmp_path: Path) -> None:
    """kassay writes it; three repetitions can have one order by chance."""

    def drawn(table: list[Cells]) -> list[Cells]:
        for cells in table:
            block = int(cells["run_id"].split("_r")[-1][:2])
            second = "1" if cells["version_family"] == "6.19" else "0"
            cells["run_id"] = cells["run_id"][:-16] + f"20260513T12{block:02}{second}0Z"
            cells["order"] = "interleaved"
        return table

    samples = imported(rewritten(tmp_path, drawn))
    assert [s.block for s in one(samples, "6.12", "cycle_ns_per_page").samples] == list(range(1, 10))


@pytest.mark.parametrize(("column", "value"), [("looks", "0"), ("looks", "6"), ("margin", "0"), ("margin", "x")])
def test_columns_of_kassay_s_own_are_checked(column: str, value: str, tmp_path: Path) -> None:
    refused(rewritten(tmp_path, lambda table: [{**cells, column: value} for cells in table]))


@pytest.mark.parametrize(
    "versions",
    [("7.0-rc1", "7.0"), ("7.0~rc7", "7.0.1"), ("7.0.0-rc2", "7.0.0"), ("7.0.0-rc1", "7.0"), ("7.0-rc2", "7.0-rc10"),
     ("6.19.9", "7.0-rc1"), ("v7.0-rc1", "v7.0"), ("7.0-rc1-00012-gabc", "7.0-rc2"), ("7.0", "7.0-mine"),
     ("6.17.0-5-amd64", "6.17.1"), ("7.0", "mm-unstable")],
)  # fmt: skip
def test_release_candidates_are_older_than_their_release(versions: tuple[str, str], tmp_path: Path) -> None:
    for names in (versions, versions[::-1]):
        kernels = imported(rewritten(tmp_path, renaming(names))).kernels
        assert [kernel.label for kernel in kernels] == list(versions)


@pytest.mark.parametrize("versions", [("base", "new"), ("7.0-old", "7.0-new"), ("7.0-rc1", "7.0~rc1")])
def test_versions_that_do_not_tell_which_is_older_are_refused(versions: tuple[str, str], tmp_path: Path) -> None:
    file = rewritten(tmp_path, renaming(versions))
    assert "do not tell which one is older" in refused(file)
    assert [kernel.label for kernel in imported(file, order=versions[::-1]).kernels] == list(versions[::-1])


def renaming(versions: tuple[str, str]) -> Callable[[list[Cells]], list[Cells]]:
    """Give the file's two kernels other versions."""
    names = dict(zip(("6.12", "6.19"), versions, strict=True))

    def change(table: list[Cells]) -> list[Cells]:
        return [{**cells, "version_family": (name := names[cells["version_family"]]), "exact_version": name}
                for cells in table]  # fmt: skip

    return change
