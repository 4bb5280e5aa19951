# SPDX-License-Identifier: GPL-2.0-only
"""Equal state is proved, unequal state is refused, and other work is done as declared; on real kernels."""

from pathlib import Path

import pytest

from tests.boot.conftest import NEW, OLD, ONCE, Kassay, answered, restored

pytestmark = pytest.mark.boot


def test_unequal_huge_pages_are_refused_with_both_values_named(kassay: Kassay, tmp_path: Path) -> None:
    words = ("compare", "madvise_pageout", NEW, NEW, "--cmdline-head", "transparent_hugepage=never", *ONCE)
    ran = kassay(
        *words, "--boot", "snapshot", "--profile", "none", "--rounds", "4", "--out", str(tmp_path / "d"), "--exit-code"
    )
    assert ran.status == 4
    findings = ran.json()["findings"]
    assert {finding["verdict"] for finding in findings} == {"state-mismatch"}
    named = [(d["field"], d["base"], d["head"]) for d in findings[0]["differences"]]
    assert ("range.AnonHugePages", "16384 kB", "0 kB") in named
    assert all(finding["change"] is None for finding in findings)


def test_without_swap_nothing_is_paged_out_and_with_zram_it_is(tmp_path: Path) -> None:
    settings = {"size": "4MiB", "swap": ["none", "zram"]}
    asked = restored("madvise_pageout", OLD, OLD, settings=settings, profile="none")
    found = answered(asked, tmp_path / "d")["findings"]
    assert {f["verdict"] for f in found} == {"equivalent"}
    touch = {dict(f["settings"])["swap"]: f["base_value"] for f in found if f["metric"] == "touch"}
    assert touch["zram"] > 50 * touch["none"]  # each page faults back in, instead of being written where it is


def test_faults_are_counted_for_several_tasks(tmp_path: Path) -> None:
    settings = {"size": "1MiB", "tasks": 2, "mode": ["process", "thread"]}
    report = answered(restored("page_fault", OLD, NEW, settings=settings, profile="none"), tmp_path / "d")
    for mode in ("process", "thread"):
        (found,) = (f for f in report["findings"] if f["primary"] and dict(f["settings"])["mode"] == mode)
        assert found["verdict"] not in ("semantic-failure", "incomplete", "state-mismatch", "contaminated")
        assert found["base_value"] > 500
