# SPDX-License-Identifier: GPL-2.0-only
"""Tasks beside the workload are named, and no verdict is given; on a real kernel."""

from pathlib import Path
from typing import Any

import pytest

from tests.boot.conftest import OLD, ONCE, Kassay

pytestmark = pytest.mark.boot
WORDS = ("compare", "mprotect_toggle", OLD, OLD, *ONCE, "--exit-code")


def refused(kassay: Kassay, place: Path, *words: str) -> dict[str, Any]:
    ran = kassay(*WORDS, *words, "--out", str(place))
    assert ran.status == 4, ran.err
    report = ran.json()
    assert {finding["verdict"] for finding in report["findings"]} == {"contaminated"}
    assert all(finding["change"] is None for finding in report["findings"])
    return report


@pytest.mark.parametrize("boot", ["short", "snapshot"])
def test_a_background_task_is_named_with_its_share_and_no_verdict_is_given(
    kassay: Kassay, tmp_path: Path, boot: str
) -> None:
    report = refused(kassay, tmp_path / "d", "--background", "1", "--set", "size=8MiB", "--boot", boot)
    reason = report["findings"][0]["reasons"][0]
    assert "kassay-spin" in reason
    assert 0.4 < dict(report["findings"][0]["sides"][0]["contexts"])["other"] < 0.6
    assert any("kassay-spin" in sentence for sentence in report["disclosures"])


def test_without_quiescence_the_self_tests_of_a_stock_kernel_show_up_by_name(kassay: Kassay, tmp_path: Path) -> None:
    report = refused(kassay, tmp_path / "d", "--no-quiesce", "--boot", "stock", "--set", "size=4MiB")
    reason = report["findings"][0]["reasons"][0]
    assert "cryptomgr_test" in reason and "mpihelp_submul_1" in reason
    assert any("did not wait" in sentence for sentence in report["disclosures"])
