# SPDX-License-Identifier: GPL-2.0-only
"""A restored machine measures what a booted one does, every time the same."""

import os
from pathlib import Path

import pytest

from kassay.effects.files import cache_directory
from kassay.journal.journal import read_journal
from tests.boot.conftest import NEW, OLD, QUICK, Kassay

pytestmark = pytest.mark.boot
WORDS = ("compare", "mprotect_toggle", OLD, NEW, *QUICK, "--boot", "snapshot", "--perturb", "0", "--format", "json")


@pytest.fixture(scope="module")
def restored(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("snapshot") / "d"
    ran = kassay(*WORDS, "--repeats", "3", "--out", str(directory))
    assert ran.status == 0, ran.err
    return directory


def test_every_restored_run_ships_the_same_bytes(restored: Path) -> None:
    streams: dict[str, set[str | None]] = {}
    for record in read_journal(restored / "journal.jsonl"):
        assert record.outcome == "ok"
        streams.setdefault(record.run.rpartition("-")[0], set()).add(record.stream_sha256)
    assert len(streams) == 2
    assert all(len(found) == 1 for found in streams.values())


def test_restored_and_booted_machines_agree(kassay: Kassay, restored: Path, ladder: Path) -> None:
    booted = kassay("report", str(ladder), "--format", "json").json()
    values = {side["kernel"]: side["value"] for f in booted["findings"] if f["primary"] for side in f["sides"]}
    for finding in kassay("report", str(restored), "--format", "json").json()["findings"]:
        if finding["primary"]:
            for side in finding["sides"]:  # seen: 8 instructions in 377 million, and the odd timer tick
                assert side["value"] == pytest.approx(values[side["kernel"]], rel=2e-3)


def test_the_identity_says_that_it_was_restored(kassay: Kassay, restored: Path, ladder: Path) -> None:
    options = kassay("report", str(restored), "--format", "json").json()["machine"]["options"]
    assert "pvpanic" in options
    assert "pvpanic" not in kassay("report", str(ladder), "--format", "json").json()["machine"]["options"]


def test_snapshots_are_whole_or_not_there(restored: Path) -> None:
    kept = [path for path in (cache_directory() / "snapshots").iterdir() if not path.suffix]
    assert kept
    assert all(path.stat().st_size > 10 << 20 for path in kept)
    assert not [path for path in (cache_directory() / "snapshots").iterdir() if path.suffix == ".part"]


def test_a_damaged_snapshot_is_a_named_outcome_and_made_anew(kassay: Kassay, tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "kassay"
    cache.mkdir(parents=True)
    for name in ("kernels", "refs", "packages", "apt", "guest"):  # the kernels of the real store, snapshots of our own
        if (cache_directory() / name).exists():
            (cache / name).symlink_to(cache_directory() / name)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = (*WORDS, "--repeats", "1", "--timeout", "40")
    assert kassay(*words, "--out", str(tmp_path / "a"), env=environment).status == 0
    for path in (cache / "snapshots").iterdir():
        if not path.suffix:
            path.chmod(0o644)
            os.truncate(path, path.stat().st_size // 2)
    report = kassay(*words, "--out", str(tmp_path / "b"), env=environment).json()
    assert [failure["outcome"] for failure in report["runs"]["failures"]] == ["machine-died"] * 2
    assert report["runs"]["ok"] == 2
