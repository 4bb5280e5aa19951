# SPDX-License-Identifier: GPL-2.0-only
"""Artifacts are what their name says, or an error."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.journal import artifacts


@given(data=st.binary(max_size=5000))
def test_any_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    directory = tmp_path_factory.mktemp("a")
    assert artifacts.get(directory, artifacts.put(directory, data)) == data


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    assert artifacts.put(tmp_path, b"x") == artifacts.put(tmp_path, b"x")
    assert len(list(tmp_path.rglob("*.zst"))) == 1


def test_a_damaged_artifact_is_refused(tmp_path: Path) -> None:
    name = artifacts.put(tmp_path, b"x" * 1000)
    path = next(tmp_path.rglob("*.zst"))
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(BadInput, match="damaged"):
        artifacts.get(tmp_path, name)


def test_a_missing_artifact_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="missing"):
        artifacts.get(tmp_path, "0" * 64)


@pytest.mark.parametrize("level", [0, 1])
def test_a_place_that_is_no_file_is_refused(tmp_path: Path, level: int) -> None:
    name = artifacts.put(tmp_path, b"x")
    path = next(tmp_path.rglob("*.zst"))
    path.unlink()
    if level:
        path.parent.rmdir()
        path.parent.write_bytes(b"")
    else:
        path.mkdir()
    with pytest.raises(BadInput, match="Not a directory" if level else "Is a directory"):
        artifacts.get(tmp_path, name)
