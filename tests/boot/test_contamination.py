# SPDX-License-Identifier: GPL-2.0-only
"""Tasks beside the workload are named, and no value and no verdict is given; on a real kernel."""

from pathlib import Path
from typing import Any

import pytest

from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from tests.boot.conftest import OLD, ONCE, Kassay, answered, restored

pytestmark = pytest.mark.boot


def test_a_background_task_is_named_with_its_share_and_no_verdict_is_given(kassay: Kassay, tmp_path: Path) -> None:
    words = ("--background", "1", "--set", "size=8MiB", "--boot", "snapshot", *ONCE, "--exit-code")
    ran = kassay("compare", "mprotect_toggle", OLD, OLD, *words, "--out", str(tmp_path / "d"))
    assert ran.status == 4, ran.err
    report = ran.json()
    assert {finding["verdict"] for finding in report["findings"]} == {"contaminated"}
    assert all(finding["change"] is None for finding in report["findings"])
    assert "kassay-spin" in report["findings"][0]["reasons"][0]
    assert 0.4 < dict(report["findings"][0]["sides"][0]["contexts"])["other"] < 0.6
    assert any("kassay-spin" in sentence for sentence in report["disclosures"])


def refused(place: Path, size: str, **keys: object) -> dict[str, Any]:
    """Report of one boot that was to give a value, and gives none."""
    report = answered(restored("mprotect_toggle", OLD, settings={"size": size}, rounds=None, **keys), place / "d")
    assert " is not known: " in report["verdict"] and "compared with nothing" not in report["verdict"]
    return report


def test_a_background_task_of_a_booted_kernel_is_named_with_its_share(tmp_path: Path) -> None:
    report = refused(tmp_path, "8MiB", boot="short", background=1)
    assert "kassay-spin" in report["verdict"]
    folder = open_directory(tmp_path / "d")
    region = collect(folder, folder.records())[0].measurements[0].region
    assert region is not None
    counts = dict(region.counts)
    assert 0.4 < counts["other"] / sum(counts.values()) < 0.6
    assert any("kassay-spin" in sentence for sentence in report["disclosures"])


def test_without_quiescence_the_self_tests_of_a_stock_kernel_show_up_by_name(tmp_path: Path) -> None:
    report = refused(tmp_path, "4MiB", boot="stock", quiesce=False)
    assert "cryptomgr_test" in report["verdict"] and "mpihelp_submul_1" in report["verdict"]
    assert any("did not wait" in sentence for sentence in report["disclosures"])
