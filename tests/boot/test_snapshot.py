# SPDX-License-Identifier: GPL-2.0-only
"""A restored machine measures what a booted one does, every time the same."""

import os
from pathlib import Path
from typing import Any

import pytest

from kassay.effects.files import cache_directory
from kassay.journal.journal import read_journal
from tests.boot.conftest import NEW, OLD, RESTORED, Kassay

pytestmark = pytest.mark.boot
ONE_RUN = f"""
question = "value"
kernels = ["{OLD}"]
boot = "snapshot"
profile = "none"
rounds = 8
repeats = 1
perturb = 0
timeout_s = 40

[[workloads]]
name = "mprotect_toggle"
set.size = "2MiB"
"""


@pytest.fixture(scope="module")
def restored(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("snapshot") / "d"
    words = ("compare", "mprotect_toggle", OLD, NEW, *RESTORED, "--repeats", "2", "--perturb", "0")
    ran = kassay(*words, "--out", str(directory))
    assert ran.status == 0, ran.err
    return directory


def test_every_restored_run_ships_the_same_bytes(restored: Path) -> None:
    streams: dict[str, set[str | None]] = {}
    for record in read_journal(restored / "journal.jsonl"):
        assert record.outcome == "ok"
        streams.setdefault(record.run.rpartition("-")[0], set()).add(record.stream_sha256)
    assert len(streams) == 2
    assert all(len(found) == 1 for found in streams.values())


def test_restored_and_booted_machines_agree_and_say_which_they_are(
    kassay: Kassay, restored: Path, ladder_report: dict[str, Any]
) -> None:
    values = {side["kernel"]: side["value"] for f in ladder_report["findings"] if f["primary"] for side in f["sides"]}
    report = kassay("report", str(restored), "--format", "json").json()
    sides = [side for finding in report["findings"] if finding["primary"] for side in finding["sides"]]
    assert len(sides) == 2
    for side in sides:  # seen: 8 instructions in 377 million, and the odd timer tick
        assert side["value"] == pytest.approx(values[side["kernel"]], rel=2e-3)
    assert "ib700" in report["machine"]["options"]
    assert "ib700" not in ladder_report["machine"]["options"]


def _snapshots(cache: Path) -> int:
    return sum(not path.suffix for path in (cache / "snapshots").iterdir())


def test_damaged_snapshot_is_made_again(kassay: Kassay, tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "kassay"
    cache.mkdir(parents=True)
    for name in ("kernels", "refs", "packages", "apt", "guest"):  # the kernels of the real store, snapshots of our own
        if (cache_directory() / name).exists():
            (cache / name).symlink_to(cache_directory() / name)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    spec = tmp_path / "one.toml"
    spec.write_text(ONE_RUN)
    words = ("run", str(spec), "--format", "json")
    assert kassay(*words, "--out", str(tmp_path / "a"), env=environment).status == 0
    assert _snapshots(cache) == 1
    another = tmp_path / "another.toml"
    another.write_text(ONE_RUN.replace("mprotect_toggle", "mincore_scan"))
    assert kassay("run", str(another), "--out", str(tmp_path / "c"), env=environment).status == 0
    assert _snapshots(cache) == 1  # the same machine, whatever it runs
    for path in (cache / "snapshots").iterdir():
        if not path.suffix:
            path.chmod(0o644)
            with path.open("r+b") as file:  # one bit, far behind the header
                at = path.stat().st_size // 2
                file.seek(at)
                bit = file.read(1)[0] ^ 1
                file.seek(at)
                file.write(bytes([bit]))
            damaged = path.read_bytes()
    report = kassay(*words, "--out", str(tmp_path / "b"), env=environment).json()
    assert (report["runs"]["ok"], report["runs"]["failures"]) == (1, [])
    assert all(path.read_bytes() != damaged for path in (cache / "snapshots").iterdir() if not path.suffix)
    assert _streams(tmp_path / "b") == _streams(tmp_path / "a")  # the one that was made anew is the same machine


def _streams(directory: Path) -> set[str | None]:
    records = read_journal(directory / "journal.jsonl")
    return {record.stream_sha256 for record in records if record.outcome == "ok"}
