# SPDX-License-Identifier: GPL-2.0-only
"""What every test may use. No test asserts a wall time, hypothesis included: the cores are shared.

Hypothesis tries few examples by default and in `make check`; `make test` says --hypothesis-profile=thorough. A test has
a number of its own only where an example of it is slow.
"""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=150)
settings.load_profile("quick")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory; nothing of the user's is touched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kassay"
