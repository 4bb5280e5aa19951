# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that kassay built: two builds may give the same image."""

import shutil
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
    """Names of the builds that were made. All give one image. A stroke behind a name stands for other texts."""
    made: list[str] = []

    def wanted(ref: KernelRef, distro: object, tell: object) -> object:
        key = ref.locator
        return SimpleNamespace(
            key=key, key_without_texts=lambda: key.rstrip("'"), recipe=SimpleNamespace(subject=key),
            source=BuildSource(base=key, version="7.3", tree="0"),
        )  # fmt: skip

    def build_image(request: ResolvedBuild, tell: object) -> object:
        made.append(request.key)
        key = request.key_without_texts()
        return SimpleNamespace(image=fakes.vmlinux(), beside={"config": CONFIGS[key]}, lines=key.encode())

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


def test_a_build_from_sources_with_other_texts_is_not_made_and_has_all_of_the_other_one(built: list[str]) -> None:
    told = Told()
    kernels = [build.SOURCE.resolve(parse_ref(f"build:{name}"), "", told) for name in ("a", "b", "b'", "a'", "a''")]
    assert built == ["a", "b"]
    assert [option(kernel, "ZRAM") for kernel in kernels] == ["m", "n", "n", "m", "m"]
    assert [Path(kernel.lines or "").read_bytes() for kernel in kernels] == [b"a", b"b", b"b", b"a", b"a"]
    assert [kernel.identity.build.base for kernel in kernels if kernel.identity.build] == ["a", "b", "b'", "a'", "a''"]
    assert len([event for event in told if "only in texts" in event.text]) == 3


@pytest.mark.parametrize("lost", ["refs/build/*", "kernels/*.build", "lines/*.elf", "lines/*.config"])
def test_a_build_of_which_anything_is_lost_does_not_serve_other_texts(built: list[str], cache: Path, lost: str) -> None:
    get("a")
    for path in cache.glob(lost):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    told = Told()
    kernel = build.SOURCE.resolve(parse_ref("build:a'"), "", told)
    assert built == ["a", "a'"] and "only in texts" not in told.texts
    assert option(kernel, "ZRAM") == "m" and Path(kernel.lines or "").read_bytes() == b"a"


def test_a_build_of_an_earlier_version_has_the_stored_configuration(built: list[str], cache: Path) -> None:
    get("a")
    (cache / "lines/a.config").unlink()
    assert get("a").identity.config_sha256 == sha256_bytes(CONFIGS["a"])
