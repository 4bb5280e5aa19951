# SPDX-License-Identifier: GPL-2.0-only
"""kassay series: a series becomes runs beside its rows; what cannot be is said before anything is built."""

import sys
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.model.experiment import Experiment
from kassay.tools.series import rows
from tests.building._repository import run
from tests.building._repository import series as repository
from tests.series.test_rows import Builder

BASE = "build:debian-source:7.3"
pytestmark = pytest.mark.slow  # dozens of calls of git


def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr(sys, "argv", ["kassay", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_a_base_that_is_no_source_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ("series", "mprotect_toggle", "--base", "debian:7.3", "--patches", str(tmp_path))
    assert "a series needs sources" in refused(capsys, monkeypatch, *words)


def test_an_unknown_workload_is_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("series", "mprotect_togle", "--base", "build:/nowhere", "--patches", "/nowhere")
    assert "unknown workload 'mprotect_togle'" in refused(capsys, monkeypatch, *words)


def test_kernels_of_a_series_are_not_matched_and_nothing_is_built(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kassay.tools.series.rows.rows_of", lambda *_: pytest.fail("the patches were read"))
    words = ("series", "mprotect_toggle", "--base", "build:debian-source:7.3", "--patches", "x.mbx")
    assert "one configuration" in refused(capsys, monkeypatch, *words, "--match", "preempt")


def test_a_plan_is_of_base_and_the_whole_series_and_builds_no_other_kernel(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    diff = tmp_path / "a.diff"
    diff.write_text("--- a/mm/a.c\n+++ b/mm/a.c\n@@ -1 +1 @@\n-a\n+b\n")

    def shown(experiment: Experiment, *_: object) -> int:
        assert [use.ref for use in experiment.kernels] == [BASE, f"{BASE}+{diff}"]
        return 0

    monkeypatch.setattr("kassay.commands._answer.show_commands", shown)
    monkeypatch.setattr("kassay.tools.series.rows.rows_of", lambda *_: pytest.fail("the patches were read"))
    words = ("series", "mprotect_toggle", "--base", BASE, "--patches", str(diff), "--clock", "metal")
    monkeypatch.setattr(sys, "argv", ["kassay", *words, "--on", "ssh://me@host", "--plan"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0


def test_a_gap_needs_three_kernels(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "candidate" in refused(capsys, monkeypatch, "gap", "mprotect_toggle", "debian:6.12", "debian:6.17").lower()


def test_the_rows_are_kept_beside_the_runs_and_each_kernel_is_pinned(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    linux, _ = repository(tmp_path, monkeypatch)
    run(linux, "format-patch", "-q", "-o", str(tmp_path / "patches"), "HEAD~3")
    asked: list[Experiment] = []

    def measured(experiment: Experiment, directory: Path, *_: object) -> int:
        asked.append(experiment)
        return 0

    monkeypatch.setattr("kassay.supply.building.source.kernel_version", lambda tree, name: "7.3.0")
    monkeypatch.setattr("kassay.supply.prepare.pin.kernel_store.pinned", lambda ref, tell: ref.text)
    monkeypatch.setattr(rows, "image_of", lambda flavour, tell: Builder())
    monkeypatch.setattr("kassay.commands._answer.measure_and_answer", measured)
    words = ["series", "mprotect_toggle", "--base", f"build:{linux}@HEAD~3", "--patches", str(tmp_path / "patches")]
    for _ in range(2):
        monkeypatch.setattr(sys, "argv", ["kassay", *words, "--out", str(tmp_path / "out")])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
    assert asked[0] == asked[1]
    assert [use.name for use in asked[0].kernels] == ["base", "1..2", "whole", "without 2"]
    assert all(",tree=" in use.ref for use in asked[0].kernels)
    found = rows.read_rows(tmp_path / "out")
    assert found is not None and len(found.rows) == 7
