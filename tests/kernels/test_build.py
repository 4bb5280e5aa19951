# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that kassay built: two builds may give the same image."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from kassay.effects.files import sha256_bytes
from kassay.model.build import BuildSource
from kassay.model.kernel import KernelArtifact, KernelRef, parse_ref
from kassay.supply.building.builder import ResolvedBuild
from kassay.supply.kernels import build, option
from tests.kernels import fakes
from tests.kernels.fakes import Told

HEADER = "# Linux/x86 6.99.1 Kernel Configuration\nCONFIG_64BIT=y\n"
CONFIGS = {"a": f"{HEADER}CONFIG_ZRAM=m\n".encode(), "b": f"{HEADER}# CONFIG_ZRAM is not set\n".encode()}


@pytest.fixture
def built(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the builds that were made. All give one image."""
    made: list[str] = []

    def wanted(ref: KernelRef, distro: object, tell: object) -> object:
        return SimpleNamespace(key=ref.locator, source=BuildSource(base=ref.locator, version="7.3", tree="0"))

    def build_image(request: ResolvedBuild, tell: object) -> object:
        made.append(request.key)
        return SimpleNamespace(image=fakes.vmlinux(), beside={"config": CONFIGS[request.key]}, lines=b"")

    monkeypatch.setattr(build, "wanted", wanted)
    monkeypatch.setattr(build, "build_image", build_image)
    return made


def get(name: str) -> KernelArtifact:
    return build.SOURCE.resolve(parse_ref(f"build:{name}"), "", Told())


def test_builds_with_one_image_have_their_own_configurations(built: list[str]) -> None:
    for name in ("a", "b", "a", "b"):
        kernel = get(name)
        assert option(kernel, "ZRAM") == ("m" if name == "a" else "n")
        assert kernel.identity.config_sha256 == sha256_bytes(CONFIGS[name])
        assert build.stored_config(kernel.identity) == CONFIGS[name]
    assert built == ["a", "b"]
    assert get("a").image == get("b").image


def test_a_build_of_an_earlier_version_has_the_stored_configuration(built: list[str], cache: Path) -> None:
    get("a")
    (cache / "lines/a.config").unlink()
    assert get("a").identity.config_sha256 == sha256_bytes(CONFIGS["a"])
