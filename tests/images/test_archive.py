# SPDX-License-Identifier: GPL-2.0-only
"""A real program of the real archive: its tree has what it needs, on both architectures."""

import pytest

from kassay.model.progress import silent
from kassay.supply.archive.packages import closure, fetched
from kassay.supply.images.programs import check_programs
from kassay.supply.images.tree import image
from tests.images.debs import read

pytestmark = pytest.mark.network


@pytest.mark.parametrize(("arch", "triple"), [("x86_64", "x86_64-linux-gnu"), ("arm64", "aarch64-linux-gnu")])
def test_a_shell_of_the_archive_has_its_libraries(arch: str, triple: str) -> None:
    packages = closure(["dash"], arch, silent)
    made, path = image(packages, (), arch, lambda: fetched(packages, arch, silent), silent)
    assert made.missing == () and made.size_bytes == path.stat().st_size
    check_programs("dash", path, ["/bin/sh", "/usr/bin/dash"])
    found = read(path.read_bytes())
    assert f"/lib/{triple}/libc.so.6".encode() in found["etc/ld.so.cache"].data
    assert f"usr/lib/{triple}/libc.so.6" in found and "usr/share/doc" not in found
    assert {package.name for package in packages} >= {"dash", "libc6"}
