# SPDX-License-Identifier: GPL-2.0-only
"""From two kernels' traces to predicted time: it adds up, it is stored, and what has no trace says how to get one."""

import json
from math import fsum, isclose
from pathlib import Path
from typing import Any

import pytest

from .conftest import Kassay

pytestmark = pytest.mark.boot
BASE, HEAD = "debian:6.16", "debian:6.17"
SMALL = ("--set", "size=512KiB", "--rounds", "8", "--boot", "snapshot")


@pytest.fixture(scope="module")
def traced(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("predict") / "runs"
    words = ("--repeats", "1", "--perturb", "0", "--predict", "zen3,alder-lake-p", "--out", str(directory))
    ran = kassay("compare", "mprotect_toggle", BASE, HEAD, *SMALL, *words)
    assert ran.status == 0, ran.err
    assert "predicted" in ran.out
    return directory


def primary(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(f for f in report["findings"] if f["primary"])
    return found


@pytest.fixture(scope="module")
def finding(kassay: Kassay, traced: Path) -> dict[str, Any]:
    return primary(kassay("report", str(traced), "--format", "json").json())


def test_every_metric_is_predicted_on_every_cpu_and_adds_up(finding: dict[str, Any]) -> None:
    assert [one["cpu"] for one in finding["predictions"]] == ["zen3", "alderlake_p"]
    for one in finding["predictions"]:
        for side in ("base_ns", "head_ns"):
            assert one[side] > 0
            for part in (one["causes"], one["rows"]):
                assert isclose(fsum(row[side] for row in part), one[side], rel_tol=1e-9)
        assert (one["change"] is None) == (one["refused"] is not None)


def test_the_rounds_answered_for_execute_what_was_counted(finding: dict[str, Any]) -> None:
    for one in finding["predictions"]:
        for side in ("base", "head"):
            assert isclose(one[f"{side}_instructions"], finding[f"{side}_value"], rel_tol=0.02)


def test_a_page_costs_more_time_and_less_than_the_counts_say(finding: dict[str, Any]) -> None:
    zen3 = finding["predictions"][0]
    assert 0 < zen3["head_ns"] / zen3["base_ns"] - 1 < finding["change"]


def test_what_was_replayed_once_is_not_replayed_again(kassay: Kassay, traced: Path, finding: dict[str, Any]) -> None:
    again = kassay("predict", str(traced), "--format", "json")
    assert primary(again.json())["predictions"] == finding["predictions"]
    assert "predict:" not in again.err


def test_another_cpu_is_predicted_from_the_same_traces(kassay: Kassay, traced: Path) -> None:
    report = kassay("predict", str(traced), "--cpu", "skylake-sp", "--format", "json").json()
    assert [one["cpu"] for one in primary(report)["predictions"]] == ["skylake_sp"]
    wrong = kassay("predict", str(traced), "--cpu", "skylark")
    assert wrong.status == 2 and "known:" in wrong.err and "calibrate" in wrong.err


def test_without_a_trace_the_command_that_records_one_is_told(kassay: Kassay, ladder: Path) -> None:
    ran = kassay("predict", str(ladder), "--cpu", "zen3")
    assert ran.status == 2
    assert f"kassay run {ladder}/pinned.toml --predict zen3 --out {ladder}-traced" in ran.err


def test_predictions_are_in_the_json_beside_a_report(traced: Path, finding: dict[str, Any]) -> None:
    assert primary(json.loads((traced / "report.json").read_text()))["predictions"] == finding["predictions"]
