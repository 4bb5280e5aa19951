# SPDX-License-Identifier: GPL-2.0-only
"""What every test may use. No test asserts a wall time, hypothesis included: the cores are shared."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("shared-cores", deadline=None)
settings.load_profile("shared-cores")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory; nothing of the user's is touched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kassay"
