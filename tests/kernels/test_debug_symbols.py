# SPDX-License-Identifier: GPL-2.0-only
"""The vmlinux of a debug package is kept and the package is not; what cannot be had is refused with the way out."""

from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelIdentity
from kassay.model.progress import silent
from kassay.supply.kernels import _debug_symbols, debug_symbols
from tests.kernels import fakes

KERNEL = KernelIdentity(
    ref="debian:6.17", arch="x86_64", release="6.17.13+deb13-cloud-amd64", image_sha256="0" * 64,
    package="linux-image-6.17.13+deb13-cloud-amd64", package_version="6.17.13-1~bpo13+1",
)  # fmt: skip


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for the archive: a package with one vmlinux."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_debug_symbols, "ROOM_BYTES", 1)
    fakes.deb(tmp_path, "x", "1", {f"usr/lib/debug/boot/vmlinux-{KERNEL.release}": b"the lines"})
    (tmp_path / "x.1.deb").rename(tmp_path / "x.deb")
    asked = []

    def unlisted(name: str, version: str, _arch: str, _tell: object) -> Path:
        asked.append((name, version))
        assert asked == [("linux-image-6.17.13+deb13-cloud-amd64-dbg", "6.17.13-1~bpo13+1")]  # and only once
        return tmp_path / "x.deb"

    monkeypatch.setattr(_debug_symbols, "unlisted_package", unlisted)
    return tmp_path / "x.deb"


def test_the_vmlinux_is_kept_and_the_package_is_not(package: Path) -> None:
    first = debug_symbols(KERNEL, silent)
    assert (first.read_bytes(), package.exists()) == (b"the lines", False)
    assert debug_symbols(KERNEL, silent) == first


def test_too_little_room_is_refused_with_what_is_needed_before_anything_is_fetched(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_debug_symbols, "ROOM_BYTES", 1 << 60)
    with pytest.raises(HostLacks, match=rf"cloud-amd64-dbg needs {1 << 30} GiB while it is unpacked"):
        debug_symbols(KERNEL, silent)
    assert package.exists()


def test_a_kernel_of_no_package_has_no_debug_package() -> None:
    own = KernelIdentity(ref="image:x", arch="x86_64", release="7.3", image_sha256="0" * 64)
    with pytest.raises(BadInput, match="not of the archive") as caught:
        debug_symbols(own, silent)
    assert "--lines" in caught.value.remedy
