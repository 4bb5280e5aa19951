# SPDX-License-Identifier: GPL-2.0-only
"""Counted and timed in one command: blocks as planned, a look at its time, a kernel against itself, side by side."""

import shutil
from itertools import groupby
from pathlib import Path

import pytest

from kassay.journal.directory import BESIDE, open_directory
from kassay.journal.journal import read_journal
from kassay.model.timing import LOOKS
from tests.boot.conftest import Kassay
from tests.source import ROOT

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.alone, pytest.mark.timeout(3000)]
# These boot in half of the time that the archive's kernels take, and every run here is a boot.
BASE = "build:debian-source:7.3"
HEAD = f"{BASE}+{ROOT / 'examples' / 'mprotect-general.patch'}"
WORDS = ("compare", "mprotect_toggle", BASE, HEAD, "--set", "size=1MiB", "--rounds", "6", "--clock", "icount,tcg",
         "--repeats", "6", "--perturb", "0", "--format", "json")  # fmt: skip


@pytest.fixture(scope="module")
def both(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("timed") / "d"
    ran = kassay(*WORDS, "--out", str(directory))
    assert ran.status == 0, ran.err
    assert "plan: tcg 18 boots" in ran.err and "shows a change of" in ran.err
    assert "look: 6 boots a kernel" in ran.err
    return directory


def test_every_block_is_made_before_the_next_in_the_planned_order(both: Path) -> None:
    here = open_directory(both / BESIDE)
    block = {run.id: run.block for run in here.plan.runs}
    made = [block[record.run] for record in read_journal(here.journal)]
    assert [number for number, _ in groupby(made)] == [0, 1, 2]
    first = [run for run in here.plan.runs if run.block == 0]
    assert [record.run for record in read_journal(here.journal) if record.attempt == 1][:6] == [run.id for run in first]
    assert sum(run.control for run in first) == 2


def test_one_report_has_the_counts_the_time_and_what_they_mean(kassay: Kassay, both: Path) -> None:
    report = kassay("report", str(both), "--format", "json").json()
    rows = {row["metric"]: row for row in report["beside"]}
    assert set(rows) == {f["metric"] for f in report["findings"]}
    row = rows["iteration"]
    assert (row["counts_verdict"], row["clock"], row["time_n"]) == ("regression", "tcg", [6, 6])
    assert row["counts_change"] > 0.3
    assert row["meaning"].endswith("(emulated time: the emulator's caches, not a processor's)")
    assert report["beside_machine"]["clock"] == "tcg"
    page = kassay("report", str(both), "--format", "markdown").out
    assert "Counts and time, side by side" in page


def test_the_time_is_judged_at_a_look_and_says_so(kassay: Kassay, both: Path) -> None:
    report = kassay("report", str(both / BESIDE), "--format", "json", "--rules", "seed").json()
    (finding,) = [f for f in report["findings"] if f["primary"]]
    timing = finding["timing"]
    assert (timing["boots"], timing["looks"], timing["blocks"]) == (6, [6], 3)
    assert timing["boots"] in LOOKS
    assert timing["control"]["n_control"] == 6
    assert finding["evidence"] in ("partial", "unstable")  # emulated time only screens
    assert [side["kernel"] for side in report["seed_rules"][0]["sides"]] == [BASE, HEAD]


def test_a_finished_session_is_not_made_again(kassay: Kassay, both: Path) -> None:
    before = (both / BESIDE / "journal.jsonl").read_bytes()
    assert kassay(*WORDS, "--out", str(both)).status == 0
    assert (both / BESIDE / "journal.jsonl").read_bytes() == before


def test_a_session_that_was_cut_short_claims_nothing_and_is_finished_when_resumed(
    kassay: Kassay, both: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut"
    shutil.copytree(both, cut)
    lines = (cut / BESIDE / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (cut / BESIDE / "journal.jsonl").write_bytes(b"".join(lines[:15]))
    report = kassay("report", str(cut / BESIDE), "--format", "json").json()
    # A thread of the kernel that wakes up in one of so few boots is a refusal: no verdict either.
    assert {f["verdict"] for f in report["findings"]} <= {"inconclusive", "contaminated"}
    assert report["runs"]["unmade"] == 18 - len({record.run for record in read_journal(cut / BESIDE / "journal.jsonl")})
    assert kassay(*WORDS, "--out", str(cut)).status == 0
    assert len({record.run for record in read_journal(cut / BESIDE / "journal.jsonl") if record.outcome == "ok"}) == 18
