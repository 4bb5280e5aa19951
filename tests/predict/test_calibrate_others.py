# SPDX-License-Identifier: GPL-2.0-only
"""Is the CPU time of others told apart from the calibration's own?"""

from pathlib import Path

import pytest

from kassay.effects import clock
from kassay.labs.predict.calibrate import others


def test_time_of_others_is_all_but_idle_and_own_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(others, "_STAT", tmp_path / "stat")
    (tmp_path / "stat").write_text("cpu  100 0 100 5000 70 0 0 0 0 0\n")
    before = others.now()._replace(at_s=clock.monotonic_s() - 10)
    (tmp_path / "stat").write_text("cpu  900 0 300 5400 90 0 0 500 0 0\n")
    assert others.cpus_since(before) == pytest.approx(1.5, abs=0.1)
    assert others.cpus_since(before._replace(at_s=clock.monotonic_s() - 0.01)) == 0
    assert others.are_noted(1.5) and not others.are_noted(0.05)
