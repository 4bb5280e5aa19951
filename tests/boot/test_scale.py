# SPDX-License-Identifier: GPL-2.0-only
"""Contention from traces of real kernels: a page fault's lruvec lock is found, and bends the curve."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import RESTORED, Kassay

pytestmark = pytest.mark.boot
BASE, HEAD = "debian:6.12", "debian:6.17"


@pytest.fixture(scope="module")
def traced(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("scale") / "runs"
    words = ("--repeats", "1", "--perturb", "0", "--rounds", "4", "--predict", "skylake-sp", "--out", str(directory))
    ran = kassay("compare", "page_fault", BASE, HEAD, *RESTORED, *words)
    assert ran.status == 0, ran.err
    return directory


@pytest.fixture(scope="module")
def report(kassay: Kassay, traced: Path) -> dict[str, Any]:
    return kassay("predict", str(traced), "--scale", "1,2,4,16,28", "--format", "json").json()


def test_page_faults_take_the_lruvec_lock_once_for_each_batch(report: dict[str, Any]) -> None:
    assert [answer["kernel"] for answer in report["answers"]] == [BASE, HEAD]
    for answer in report["answers"]:
        assert answer["problem"] == ""
        lruvec = next(lock for lock in answer["locks"] if lock["name"] == "lruvec lock")
        assert lruvec["sharers"] == "node" and lruvec["known"]
        assert 1 / 40 < lruvec["takes"] < 1 / 25  # a batch has 31 pages
        page_table = next(lock for lock in answer["locks"] if lock["name"] == "page table lock")
        assert page_table["takes"] == pytest.approx(1, rel=0.02)
        assert not answer["doubts"]


def test_the_lruvec_lock_bends_the_curve(report: dict[str, Any]) -> None:
    for answer in report["answers"]:
        first, second, *_, last = answer["points"]
        assert first["speedup"] == pytest.approx(1, rel=1e-3)
        assert 1.8 < second["speedup"] <= 2
        assert answer["bend"] in (4, 16, 28) and answer["bend_lock"] == "lruvec lock"
        assert last["waiting"][0]["lock"] == "lruvec lock" and last["waiting"][0]["share"] > 0.2
        assert last["interval"][0] < last["speedup"] < last["interval"][1]


def test_the_same_traces_give_the_same_digits(kassay: Kassay, traced: Path, report: dict[str, Any]) -> None:
    again = kassay("predict", str(traced), "--scale", "1,2,4,16,28", "--format", "json").json()
    assert json.dumps(again) == json.dumps(report)


def test_threads_of_one_process_share_its_mmap_lock(kassay: Kassay, traced: Path) -> None:
    words = ("--scale", "1,8", "--scale-as", "threads", "--format", "json")
    answer = kassay("predict", str(traced), *words).json()["answers"][0]
    assert "mmap_lock" in [one["lock"] for one in answer["points"][-1]["waiting"]]
