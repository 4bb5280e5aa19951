# SPDX-License-Identifier: GPL-2.0-only
"""A kernel whose package holds no configuration gets it from another package of its version, or the reason is known."""

import json
import os
from pathlib import Path

import pytest

from kassay.errors import HostLacks
from kassay.model.kernel import KernelArtifact
from kassay.model.progress import silent
from kassay.supply.kernels import _store, debian
from kassay.supply.kernels._configuration import in_image
from tests.kernels import fakes
from tests.kernels.fakes import Told

_RELEASE, _VERSION = "6.19.14+deb13-cloud-amd64", "6.19.14-1"
_HEADER = "# Linux/x86 6.19.14 Kernel Configuration\n"


class Pool:
    """Packages that the mirror keeps and no list has. `asked`: names in order."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.asked = directory, list[str]()
        self.files: dict[str, dict[str, bytes]] = {}

    def __call__(self, name: str, version: str, arch: str, tell: object) -> Path:
        self.asked.append(name)
        if name not in self.files:
            raise HostLacks(f"{name} {version}: no longer on the mirror")
        return fakes.deb(self.directory, name, version, self.files[name])


@pytest.fixture
def pool(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Pool:
    made = Pool(tmp_path)
    monkeypatch.setattr(debian, "unlisted_package", made)
    return made


def found(config: bytes | None = None) -> KernelArtifact:
    """The kernel as resolve() gives it, stored at the first call."""
    origin = _store.Origin(source="Debian fake", kind="package", package=f"linux-binary-{_RELEASE}",
                           package_version=_VERSION, flavour="cloud-amd64")  # fmt: skip
    image = fakes.bzimage(fakes.gzip(fakes.vmlinux(_RELEASE, body=config or b"")))
    artifact = _store.keep(image, origin, {}, "x86_64", "debian:6.19", Told())
    return debian.with_configuration_of_archive(artifact, silent)


def test_a_package_that_no_list_has_gives_the_configuration(pool: Pool) -> None:
    text = f"{_HEADER}CONFIG_PREEMPT_LAZY=y\n"
    pool.files[f"linux-base-{_RELEASE}"] = {f"boot/config-{_RELEASE}": text.encode()}
    for _ in range(2):
        kernel = found()
        assert kernel.config is not None and Path(kernel.config).read_text() == text
        options = {item.name: item.value for item in kernel.identity.configuration or ()}
        assert options["preemption"] == "PREEMPT_LAZY"
        assert kernel.identity.config_source == (
            f"linux-base-{_RELEASE} {_VERSION}, unsigned: no list of the archive has its hash"
        )
    assert len(pool.asked) == 1


def test_headers_serve_where_that_package_is_gone(pool: Pool) -> None:
    name = f"linux-headers-{_RELEASE}"
    pool.files[name] = {f"usr/src/{name}/.config": _HEADER.encode()}
    assert found().identity.config_source.startswith(f"{name} {_VERSION}, unsigned")


def test_a_configuration_of_another_build_is_not_taken(pool: Pool) -> None:
    name = f"linux-base-{_RELEASE}"
    for text, reason in (
        ("# Linux/x86 6.19.13 Kernel Configuration\n", "is of version 6.19.13"),
        (f'{_HEADER}CONFIG_CC_VERSION_TEXT="gcc-9"\n', "was made with another compiler, gcc-9"),
    ):
        pool.files[name] = {f"boot/config-{_RELEASE}": text.encode()}
        kernel = found(config=text.encode())
        assert kernel.config is None
        assert kernel.identity.configuration is None
        assert reason in kernel.identity.config_source


def test_what_was_not_found_is_looked_for_again_a_day_later(pool: Pool, cache: Path) -> None:
    for _ in range(2):
        assert found().identity.config_source.startswith("not known: linux-base-")
    assert len(pool.asked) == 3
    (reason,) = cache.glob("configurations/*.none")
    os.utime(reason, (1, 1))
    pool.files[f"linux-base-{_RELEASE}"] = {f"boot/config-{_RELEASE}": _HEADER.encode()}
    assert found().identity.configuration is not None


def test_a_configuration_inside_the_image_is_read(cache: Path) -> None:
    inside = b"IKCFG_ST" + fakes.gzip(b"CONFIG_HZ=1000\n") + b"IKCFG_ED"
    assert in_image(b"\x7fELF" + inside + bytes(99)) == b"CONFIG_HZ=1000\n"
    assert in_image(b"\x7fELF") is None and in_image(b"IKCFG_ST nothing") is None
    image = fakes.bzimage(fakes.gzip(fakes.vmlinux(body=inside)))
    kernel = _store.keep(image, _store.Origin(source="file"), {}, "x86_64", "image:x", Told())
    assert {item.name: item.value for item in kernel.identity.configuration or ()}["HZ"] == "1000"


def test_what_is_read_from_the_configuration_is_not_stored(pool: Pool) -> None:
    stored = json.loads((Path(found().directory) / "kernel.json").read_text())
    assert {"configuration", "config_source"}.isdisjoint(stored["artifact"]["identity"])
