# SPDX-License-Identifier: GPL-2.0-only
"""The main job on real kernels: the step is where months of bare-metal work found it."""

from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kassay.journal import artifacts
from kassay.journal.journal import read_journal
from tests.boot.conftest import LADDER, NEW, OLD, Kassay

pytestmark = pytest.mark.boot


def test_the_step_is_found_and_the_rest_is_equivalent(ladder_report: dict[str, Any]) -> None:
    report = ladder_report
    points = [point["value"] for point in report["ladder"]["points"]]
    assert 295 < points[0] < 315  # DESIGN.md, seed 000: about 302 on 6.12 and 6.16, 672 on 6.17
    assert abs(points[1] / points[0] - 1) < 0.01
    assert 2.1 < points[2] / points[1] < 2.3
    steps = [(step["from"], step["to"], step["verdict"]) for step in report["ladder"]["steps"]]
    assert steps == [("debian:6.16", NEW, "regression")]
    assert {finding["evidence"] for finding in report["findings"] if finding["metric"] == "iteration"} == {"exact"}
    assert report["runs"] == {**report["runs"], "planned": 9, "ok": 9, "failed": 0, "retried": 0}


def test_phases_add_up_to_the_iteration(ladder_report: dict[str, Any]) -> None:
    rounds = {(f["metric"], f["base"]): f["sides"][0]["rounds"] for f in ladder_report["findings"]}
    for kernel in (OLD, "debian:6.16"):
        parts = zip(*(rounds[phase, kernel] for phase in ("protect", "restore", "touch")), strict=True)
        assert [sum(part) for part in parts] == pytest.approx(rounds["iteration", kernel], abs=1e-9)


@pytest.mark.parametrize("words", [LADDER, ("run",)], ids=["the command", "the experiment file that it wrote"])
def test_the_same_again_measures_nothing_and_answers_the_same(
    kassay: Kassay, ladder: Path, ladder_report: dict[str, Any], words: tuple[str, ...]
) -> None:
    before = (ladder / "journal.jsonl").read_bytes()
    file = (str(ladder / "spec.toml"),) if words == ("run",) else ()
    again = kassay(*words, *file, "--out", str(ladder), "--format", "json")
    assert again.json() == ladder_report
    assert (ladder / "journal.jsonl").read_bytes() == before


def test_the_plain_runs_of_a_kernel_are_bit_identical_in_everything_shipped(ladder: Path) -> None:
    records = [r for r in read_journal(ladder / "journal.jsonl") if r.run.endswith(("-0", "-1"))]
    by_cell: dict[str, list[list[str]]] = {}
    for record in records:
        assert record.stream_sha256 is not None
        stream = artifacts.get(ladder, record.stream_sha256).decode("latin-1").splitlines()
        by_cell.setdefault(record.run.rpartition("-")[0], []).append(stream)
        assert record.argv[-1].endswith(",halts=still")
    assert [len(streams) for streams in by_cell.values()] == [2, 2, 2]
    differences = [line for first, second in by_cell.values() for line in unified_diff(first, second, "0", "1", n=2)]
    assert differences == [], "\n".join(differences[:60])


def test_every_format_renders_the_real_report(kassay: Kassay, ladder: Path) -> None:
    for name in ("markdown", "html"):
        assert "6.17" in kassay("report", str(ladder), "--format", name).out
    ran = kassay("report", str(ladder), "--exit-code")
    assert ran.status == 1  # a regression
    assert len(ran.out.splitlines()) <= 45
    assert "× the instructions per page since 6.17" in " ".join(ran.out.split("\n\n")[1].split())


def test_every_run_passed_through_all_stages(ladder: Path) -> None:
    for record in read_journal(ladder / "journal.jsonl"):
        assert record.wall.boot_s > 0 and record.wall.workload_s > 0
        assert "-sandbox" in record.argv and "-nodefaults" in record.argv
        assert not any("netdev" in word or "virtfs" in word or "fsdev" in word for word in record.argv)
    for first, second in pairwise(read_journal(ladder / "journal.jsonl")):
        assert first.run != second.run
