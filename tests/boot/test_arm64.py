# SPDX-License-Identifier: GPL-2.0-only
"""arm64 kernels of the archive, emulated on whatever host this is: the questions of seed 001 and 002, counted."""

from pathlib import Path
from typing import Any

import pytest

from tests.boot.conftest import ONCE, QUICK, Kassay

pytestmark = [pytest.mark.boot, pytest.mark.network]


def compared(kassay: Kassay, place: Path, workload: str, base: str, head: str, *runs: str) -> dict[str, Any]:
    ran = kassay("compare", workload, base, head, "--arch", "arm64", *QUICK, *runs, "--out", str(place / "d"))
    assert ran.status == 0, ran.err
    report: dict[str, Any] = ran.json()
    assert {kernel["arch"] for kernel in report["kernels"]} == {"arm64"}
    return report


def primary(report: dict[str, Any]) -> dict[str, Any]:
    return next(finding for finding in report["findings"] if finding["primary"])


def test_base_pages_pay_for_the_batching_of_mincore(kassay: Kassay, tmp_path: Path) -> None:
    """6.16 counts a batch of PTEs and fills their bytes by memset(), one page at a time."""
    found = primary(compared(kassay, tmp_path, "mincore_scan", "debian:6.12", "debian:6.16", *ONCE))
    assert found["verdict"] == "regression"
    assert 2.1 < found["head_value"] / found["base_value"] < 2.6
    rows = found["attribution"]["rows"]
    assert any("memset" in row["function"] and row["base"] == 0 and row["delta"] > 10 for row in rows)
    assert sum(row["delta"] for row in rows) == pytest.approx(found["head_value"] - found["base_value"], abs=0.3)


def test_tasks_are_told_apart_when_the_kernel_switches_between_them(kassay: Kassay, tmp_path: Path) -> None:
    """Other tasks run in these rounds: a profile that lost one of them would be refused."""
    found = primary(compared(kassay, tmp_path, "mprotect_toggle", "debian:6.16", "debian:6.17",
                             "--perturb", "1", "--format", "json"))  # fmt: skip
    assert (found["verdict"], found["evidence"]) == ("regression", "exact")
    assert 1.8 < found["head_value"] / found["base_value"] < 2.1
    assert any(
        row["function"] == "prot_commit_flush_ptes" and row["delta"] > 100 for row in found["attribution"]["rows"]
    )
