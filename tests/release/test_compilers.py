# SPDX-License-Identifier: GPL-2.0-only
"""Every compiler that `kassay doctor` lists builds the lab kernel of the oldest and the newest source, and it boots."""

import re
from pathlib import Path

import pytest

from kassay.errors import NotBuilt
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.archive.sources_list import listed_sources
from kassay.supply.building.compilers import present_compilers
from kassay.supply.kernels import fetch
from tests.boot.conftest import Kassay
from tests.boot.conftest import kassay as kassay

pytestmark = [pytest.mark.release, pytest.mark.timeout(7200)]
BOOTED = ("--boot", "snapshot", "--rounds", "4", "--repeats", "1", "--perturb", "0")


def source(end: str) -> str:
    """The archive's oldest or newest series of kernel sources, such as debian-source:7.3."""
    found = {tuple(map(int, re.findall(r"\d+", one.version)[:2])) for one in listed_sources(silent).versions}
    major, minor = min(found) if end == "oldest" else max(found)
    return f"debian-source:{major}.{minor}"


@pytest.mark.parametrize("end", ["oldest", "newest"])
@pytest.mark.parametrize("compiler", present_compilers("x86_64"))
def test_a_listed_compiler_builds_a_kernel_that_boots(compiler: str, end: str, kassay: Kassay, tmp_path: Path) -> None:
    ref = f"build:{source(end)},cc={compiler}"
    try:
        built = fetch([parse_ref(ref)], "cloud", silent)[0].identity
    except NotBuilt as error:
        if "is too old" not in str(error):  # what scripts/cc-version.sh of the sources writes
            raise
        pytest.skip(f"the sources refuse it: {error.what}")
    assert built.compiler is not None and compiler.partition("-")[0] in built.compiler
    ran = kassay("compare", "mincore_scan", ref, ref, *BOOTED, "--out", str(tmp_path / "runs"))
    assert ran.status == 0, ran.err
