# SPDX-License-Identifier: GPL-2.0-only
"""A suite of two workloads, and laboratories that pin nothing."""

from pathlib import Path

import pytest


@pytest.fixture
def tiny_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite "tiny"; experiments are taken as they are written."""
    (tmp_path / "ext" / "suites").mkdir(parents=True)
    (tmp_path / "ext" / "suites" / "tiny.toml").write_text(
        'summary = "s"\nworkloads = ["page_fault", "mprotect_toggle"]\n'
    )
    monkeypatch.setenv("KASSAY_PATH", str(tmp_path / "ext"))
    monkeypatch.setattr("kassay.labs.site.turn.pairs.pin_experiment", lambda experiment, tell: experiment)
