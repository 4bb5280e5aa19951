# SPDX-License-Identifier: GPL-2.0-only
"""A directory of the cache stays within its limit."""

import os
import shutil
from pathlib import Path

import pytest

from kassay.effects import cache_limit

_NOW = 1_000_000.0


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for age, name in enumerate(("new", "middle", "old")):
        (tmp_path / f"{name}.cpio").write_bytes(bytes(1000))
        (tmp_path / f"{name}.json").write_bytes(b"x")
        os.utime(tmp_path / f"{name}.cpio", (_NOW, _NOW - age))
    return tmp_path


def _left(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if path.suffix != ".lock")


def test_the_longest_unused_go_with_what_lies_beside_them(files: Path) -> None:
    cache_limit.make_room(files, ".cpio", (".json",), 2000, unused_since=_NOW)
    assert _left(files) == ["middle.cpio", "middle.json", "new.cpio", "new.json"]
    cache_limit.make_room(files, ".cpio", (".json",), 2000, unused_since=_NOW)
    assert len(_left(files)) == 4


def test_what_may_be_in_use_stays(files: Path) -> None:
    cache_limit.make_room(files, ".cpio", (".json",), 0, unused_since=_NOW - 2)
    assert _left(files) == ["middle.cpio", "middle.json", "new.cpio", "new.json"]


def test_half_of_a_small_disk_is_left_to_others(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Disk(1000))
    cache_limit.make_room(files, ".cpio", (".json",), 1 << 40, unused_since=_NOW)
    assert _left(files) == ["middle.cpio", "middle.json", "new.cpio", "new.json"]  # (1000 + 3000) / 2


class _Disk:
    def __init__(self, free: int) -> None:
        self.free = free
