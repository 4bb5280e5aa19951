# SPDX-License-Identifier: GPL-2.0-only
"""Programs to test: as they are shipped, and with sanitizers (slow: built once a session); one that watches others."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.supply.guest import compile, sources
from tests.guest.native import Programs, sanitized


@pytest.fixture(scope="session", params=["shipped", pytest.param("sanitized", marks=pytest.mark.slow)])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    """Gives the path of a workload's program by its name."""
    if request.param == "shipped":
        yield lambda name: compile.build(name, "x86_64")
    else:
        directory = tmp_path_factory.mktemp("sanitized")
        yield lambda name: sanitized(name, directory)


@pytest.fixture(scope="session")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that watches the calls of another one, as the guest does (watching.c)."""
    program = tmp_path_factory.mktemp("watcher") / "watching"
    names = ("results", "amounts", "arguments", "found", "ranges", "cached", "targets", "ring", "sums", "vdso")
    files = [str(Path(__file__).with_name("watching.c")), *(f"{name}.c" for name in names)]
    subprocess.run(("gcc", *compile.FLAGS, "-o", program, *files), cwd=sources.directory(), check=True)
    return program
