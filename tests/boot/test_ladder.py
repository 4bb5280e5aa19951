# SPDX-License-Identifier: GPL-2.0-only
"""The main job on real kernels: the step is where months of bare-metal work found it."""

from itertools import pairwise
from pathlib import Path

import pytest

from kassay.journal.journal import read_journal
from tests.boot.conftest import NEW, OLD, QUICK, Kassay

pytestmark = pytest.mark.boot


def test_the_step_is_found_and_the_rest_is_equivalent(kassay: Kassay, ladder: Path) -> None:
    report = kassay("report", str(ladder), "--format", "json").json()
    points = [point["value"] for point in report["ladder"]["points"]]
    assert 295 < points[0] < 315  # DESIGN.md, seed 000: about 302 on 6.12 and 6.16, 672 on 6.17
    assert abs(points[1] / points[0] - 1) < 0.01
    assert 2.1 < points[2] / points[1] < 2.3
    steps = [(step["from"], step["to"], step["verdict"]) for step in report["ladder"]["steps"]]
    assert steps == [("debian:6.16", NEW, "regression")]
    assert {finding["evidence"] for finding in report["findings"] if finding["metric"] == "iteration"} == {"exact"}
    assert report["runs"] == {**report["runs"], "planned": 9, "ok": 9, "failed": 0, "retried": 0}


def test_phases_add_up_to_the_iteration(kassay: Kassay, ladder: Path) -> None:
    report = kassay("report", str(ladder), "--format", "json").json()
    rounds = {(f["metric"], f["base"]): f["sides"][0]["rounds"] for f in report["findings"]}
    for kernel in (OLD, "debian:6.16"):
        parts = zip(*(rounds[phase, kernel] for phase in ("protect", "restore", "touch")), strict=True)
        assert [sum(part) for part in parts] == pytest.approx(rounds["iteration", kernel], abs=1e-9)


def test_another_boot_on_a_busy_host_gives_the_same_digits(kassay: Kassay, ladder: Path, tmp_path: Path) -> None:
    words = ("compare", "mprotect_toggle", OLD, NEW, *QUICK, "--repeats", "1", "--perturb", "0", "--format", "json")
    again = kassay(*words, "--out", str(tmp_path / "again")).json()
    before = kassay("report", str(ladder), "--format", "json").json()
    rounds = {(f["metric"], s["kernel"]): s["rounds"] for f in before["findings"] for s in f["sides"]}
    for finding in again["findings"]:
        for side in finding["sides"]:
            assert side["rounds"] == rounds[finding["metric"], side["kernel"]]


def test_the_same_command_again_measures_nothing_and_answers_the_same(kassay: Kassay, ladder: Path) -> None:
    before = read_journal(ladder / "journal.jsonl")
    first = kassay("report", str(ladder), "--format", "json")
    words = ("ladder", "mprotect_toggle", OLD, "debian:6.16", NEW, *QUICK, "--perturb", "1", "--out", str(ladder))
    again = kassay(*words, "--format", "json")
    assert again.json() == first.json()
    assert read_journal(ladder / "journal.jsonl") == before


def test_the_plain_runs_of_a_kernel_are_bit_identical_in_everything_shipped(ladder: Path) -> None:
    records = [r for r in read_journal(ladder / "journal.jsonl") if r.run.endswith(("-0", "-1"))]
    by_cell: dict[str, set[str | None]] = {}
    for record in records:
        by_cell.setdefault(record.run.rpartition("-")[0], set()).add(record.stream_sha256)
    assert len(by_cell) == 3
    assert all(len(streams) == 1 for streams in by_cell.values())


def test_every_format_renders_the_real_report(kassay: Kassay, ladder: Path) -> None:
    for name in ("terminal", "markdown", "json", "html"):
        ran = kassay("report", str(ladder), "--format", name)
        assert ran.status == 0
        assert "6.17" in ran.out
    terminal = kassay("report", str(ladder)).out
    assert len(terminal.splitlines()) <= 45
    assert "× the instructions per page since 6.17" in " ".join(terminal.split("\n\n")[1].split())


def test_the_exit_code_says_regression_when_asked(kassay: Kassay, ladder: Path) -> None:
    assert kassay("report", str(ladder)).status == 0
    assert kassay("report", str(ladder), "--exit-code").status == 1


def test_the_written_experiment_file_repeats_the_experiment(kassay: Kassay, ladder: Path) -> None:
    same = kassay("run", str(ladder / "spec.toml"), "--out", str(ladder), "--format", "json")
    assert same.json() == kassay("report", str(ladder), "--format", "json").json()


def test_every_run_passed_through_all_stages(ladder: Path) -> None:
    for record in read_journal(ladder / "journal.jsonl"):
        assert record.wall.boot_s > 0 and record.wall.workload_s > 0
        assert "-sandbox" in record.argv and "-nodefaults" in record.argv
        assert not any("netdev" in word or "virtfs" in word or "fsdev" in word for word in record.argv)
    for first, second in pairwise(read_journal(ladder / "journal.jsonl")):
        assert first.run != second.run
