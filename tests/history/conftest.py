# SPDX-License-Identifier: GPL-2.0-only
"""An empty archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.history.archive import Archive, writing


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with writing(tmp_path / "h.duckdb") as opened:
        yield opened
