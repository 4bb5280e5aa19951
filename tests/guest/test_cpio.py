# SPDX-License-Identifier: GPL-2.0-only
"""The archive is the same to the byte each time, and others can read it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.supply.guest import cpio

ENTRIES = (
    cpio.directory("dev"),
    cpio.character_device("dev/console", 5, 1),
    cpio.file("init", b"#!/bin/sh\n", executable=True),
    cpio.file("odd", b"12345"),
    cpio.file("empty", b""),
)


def members(archive: bytes) -> list[tuple[str, int, bytes]]:
    """(path, mode, data) by an independent reading of the format; every field at its own offset."""
    found: list[tuple[str, int, bytes]] = []
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701" and at % 4 == 0
        field = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = archive[at + 110 : at + 110 + field[11] - 1].decode()
        start = (at + 110 + field[11] + 3) & ~3
        if name == "TRAILER!!!":
            return found
        found.append((name, field[1], archive[start : start + field[6]]))
        at = (start + field[6] + 3) & ~3


def test_what_was_put_in_is_found_again() -> None:
    found = members(cpio.archive(ENTRIES))
    assert found == [(e.path, e.mode, e.data) for e in ENTRIES]
    assert [oct(mode) for _, mode, _ in found] == ["0o40755", "0o20600", "0o100755", "0o100644", "0o100644"]


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.binary(max_size=40)), max_size=5))
def test_any_names_and_contents_survive_and_repeat_to_the_byte(files: list[tuple[str, bytes]]) -> None:
    entries = [cpio.file(name, data) for name, data in files]
    archive = cpio.archive(entries)
    assert [(name, data) for name, _, data in members(archive)] == files
    assert archive == cpio.archive(entries)


@pytest.mark.skipif(shutil.which("cpio") is None, reason="no cpio on this host")
def test_cpio_itself_lists_the_archive(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(cpio.archive(ENTRIES))
    with (tmp_path / "a").open("rb") as archive:
        done = subprocess.run(("cpio", "-t", "--quiet"), stdin=archive, capture_output=True, check=True)
    assert done.stdout.decode().split() == [entry.path for entry in ENTRIES]
