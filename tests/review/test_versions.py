# SPDX-License-Identifier: GPL-2.0-only
"""Patches of two versions of a series are compared by the lines that they change."""

from pathlib import Path

import pytest

from kassay.labs.review.given import changed_since
from kassay.supply.building.patches import Patch, read_patches


def patch(path: Path, subject: str, added: str, line: int = 1) -> Path:
    path.write_text(
        f"From: A <a@example.org>\nSubject: [PATCH] {subject}\n\n---\ndiff --git a/mm/x.c b/mm/x.c\n--- a/mm/x.c\n"
        f"+++ b/mm/x.c\n@@ -{line} +{line} @@\n-old\n+{added}\n"
    )
    return path


def version(directory: Path, *patches: tuple[str, str, int]) -> tuple[Patch, ...]:
    directory.mkdir()
    for number, (subject, added, line) in enumerate(patches, 1):
        patch(directory / f"{number}.patch", subject, added, line)
    return read_patches(directory)


def test_a_patch_is_the_same_wherever_its_lines_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = version(tmp_path / "v1", ("mm: a", "one", 1), ("mm: b", "two", 1), ("mm: c", "three", 1))
    after = version(tmp_path / "v2", ("mm: first", "one", 9), ("mm: b", "other", 1), ("mm: d", "new", 1))
    assert changed_since(before, after) == ((2, 3), ("mm: c",))
    assert changed_since(before, before) == ((), ())
