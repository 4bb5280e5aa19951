# SPDX-License-Identifier: GPL-2.0-only
"""A suite of two workloads, and laboratories that pin nothing."""

from pathlib import Path

import pytest


@pytest.fixture
def tiny_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite "tiny"; experiments are taken as they are written."""
    use_tiny_suite(tmp_path, monkeypatch)


def use_tiny_suite(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Does what the fixture tiny_suite does, with a directory of extensions in `directory`."""
    (directory / "ext" / "suites").mkdir(parents=True)
    (directory / "ext" / "suites" / "tiny.toml").write_text(
        'summary = "s"\nworkloads = ["page_fault", "mprotect_toggle"]\n'
    )
    monkeypatch.setenv("KASSAY_PATH", str(directory / "ext"))
    monkeypatch.setattr("kassay.labs.site.turn.pairs.pin_experiment", lambda experiment, tell: experiment)
