# SPDX-License-Identifier: GPL-2.0-only
"""Equal state is proved, unequal state is refused, and other work is done as declared; on real kernels."""

from pathlib import Path

import pytest

from tests.boot.conftest import NEW, OLD, Kassay

pytestmark = pytest.mark.boot
FAST = ("--repeats", "1", "--perturb", "0", "--format", "json")


def test_unequal_huge_pages_are_refused_with_both_values_named(kassay: Kassay, tmp_path: Path) -> None:
    words = ("compare", "madvise_pageout", NEW, NEW, "--cmdline-head", "transparent_hugepage=never", *FAST)
    ran = kassay(*words, "--rounds", "4", "--out", str(tmp_path / "d"), "--exit-code")
    assert ran.status == 4
    findings = ran.json()["findings"]
    assert {finding["verdict"] for finding in findings} == {"state-mismatch"}
    named = [(d["field"], d["base"], d["head"]) for d in findings[0]["differences"]]
    assert ("range.AnonHugePages", "16384 kB", "0 kB") in named
    assert all(finding["change"] is None for finding in findings)


def test_without_swap_nothing_is_paged_out_and_with_zram_it_is(kassay: Kassay, tmp_path: Path) -> None:
    words = ("compare", "madvise_pageout", OLD, OLD, "--set", "size=4MiB", "--rounds", "4", *FAST)
    none = kassay(*words, "--set", "swap=none", "--out", str(tmp_path / "none")).json()
    zram = kassay(*words, "--set", "swap=zram", "--out", str(tmp_path / "zram")).json()
    assert {f["verdict"] for f in (*none["findings"], *zram["findings"])} == {"equivalent"}
    touch = {name: next(f["base_value"] for f in report["findings"] if f["metric"] == "touch")
             for name, report in (("none", none), ("zram", zram))}  # fmt: skip
    assert touch["zram"] > 50 * touch["none"]  # each page faults back in, instead of being written where it is


def test_the_instrument_counts_a_loop_of_known_length_exactly(kassay: Kassay, tmp_path: Path) -> None:
    ran = kassay("compare", "calibrate", OLD, NEW, *FAST, "--out", str(tmp_path / "d"))
    loops = [f for f in ran.json()["findings"] if f["metric"] == "loop"]
    assert loops and all(f["verdict"] == "equivalent" for f in loops)
    expected = int(next(w for w in loops[0]["definition"].split() if w.isdigit()))
    assert loops[0]["base_value"] == pytest.approx(expected, rel=0.01)
    assert loops[0]["base_value"] == loops[0]["head_value"]


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_faults_are_counted_for_several_tasks(kassay: Kassay, tmp_path: Path, mode: str) -> None:
    words = ("compare", "page_fault", OLD, NEW, "--set", "size=1MiB", "--set", "tasks=2", "--set", f"mode={mode}")
    ran = kassay(*words, *FAST, "--out", str(tmp_path / "d"))
    primary = next(f for f in ran.json()["findings"] if f["primary"])
    assert primary["verdict"] not in ("semantic-failure", "incomplete", "state-mismatch", "contaminated")
    assert primary["base_value"] > 500
