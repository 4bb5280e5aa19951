# SPDX-License-Identifier: GPL-2.0-only
"""Every test of an extension starts programs, most of them kassay itself: all of them are slow ones."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)
