# SPDX-License-Identifier: GPL-2.0-only
"""Checked-out sources: what changes, what keeps its time, and what a killed change leaves."""

from pathlib import Path

import pytest

from kassay.model.progress import Progress, silent
from kassay.supply.building import git, slots
from tests.building.test_git import files


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def trees(place: Path, *states: dict[str, str]) -> list[str]:
    return [git.tree_of_files(files(place / f"state-{n}", **one), silent, subject="x") for n, one in enumerate(states)]


def test_only_what_differs_is_written_and_the_nearest_slot_is_taken(tmp_path: Path) -> None:
    one, two = trees(tmp_path, {"a": "1", "b": "1"}, {"a": "2", "b": "1"})
    place = slots.checked_out(one, silent, subject="x")
    (place / "objects").mkdir()
    before = {name: (place / name).stat().st_mtime_ns for name in "ab"}
    assert slots.checked_out(two, silent, subject="x") == place
    assert (place / "a").read_text() == "2"
    assert (place / "b").stat().st_mtime_ns == before["b"]
    assert (place / "a").stat().st_mtime_ns > before["a"]
    assert (place / "objects").is_dir()


def test_restored_file_is_newer_than_its_objects(tmp_path: Path) -> None:
    one, two = trees(tmp_path, {"a": "1"}, {"a": "2"})
    place = slots.checked_out(one, silent, subject="x")
    slots.checked_out(two, silent, subject="x")
    (place / "made-of-two").write_text("")
    slots.checked_out(one, silent, subject="x")
    assert (place / "a").read_text() == "1"
    assert (place / "a").stat().st_mtime_ns > (place / "made-of-two").stat().st_mtime_ns


def test_a_change_that_was_killed_is_made_good(tmp_path: Path) -> None:
    (one,) = trees(tmp_path, {"a": "1", "b": "1"})
    place = slots.checked_out(one, silent, subject="x")
    slot = place.parent
    (slot / "tree").unlink()  # as a change that was begun
    (place / "a").write_text("half")
    (slot / "index.lock").write_bytes(b"")
    (place / "new").write_text("of the tree that was to come")
    (place / "kassay-objects").mkdir()
    told: list[Progress] = []
    assert slots.checked_out(one, told.append, subject="x") == place
    assert (place / "a").read_text() == "1"
    assert sorted(one.name for one in place.iterdir()) == ["a", "b", "kassay-objects"]
    assert any("checking out" in one.text for one in told)


def test_releases_far_apart_get_slots_of_their_own_and_the_oldest_is_taken_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "_NEAR", 0)
    found = [
        slots.checked_out(tree, silent, subject="x") for tree in trees(tmp_path, *({"a": str(n)} for n in range(4)))
    ]
    assert len(set(found[:3])) == 3
    assert found[3] == found[0]
    assert (found[3] / "a").read_text() == "3"
