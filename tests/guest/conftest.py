# SPDX-License-Identifier: GPL-2.0-only
"""Programs to test: as they are shipped, and with sanitizers (slow: built once a session)."""

from collections.abc import Iterator

import pytest

from kassay.supply.guest import compile
from tests.guest.native import Programs, sanitized


@pytest.fixture(scope="session", params=["shipped", pytest.param("sanitized", marks=pytest.mark.slow)])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    """Gives the path of a workload's program by its name."""
    if request.param == "shipped":
        yield lambda name: compile.build(name, "x86_64")
    else:
        directory = tmp_path_factory.mktemp("sanitized")
        yield lambda name: sanitized(name, directory)
