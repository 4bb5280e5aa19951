# SPDX-License-Identifier: GPL-2.0-only
"""installed: and running: the kernels of this host's distribution, in a root directory that stands for it."""

import gzip
import os
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, exact_ref, parse_ref
from kassay.supply.kernels import check, fetch, installed, load_modules
from tests.kernels import fakes
from tests.kernels.fakes import Told

RELEASE = "6.99.1-fake"
IMAGE = fakes.bzimage(fakes.gzip(fakes.vmlinux(RELEASE)))
LAYOUTS = {
    "fedora": {
        "lib/modules/{release}/vmlinuz": IMAGE,
        "lib/modules/{release}/config": b"CONFIG_HZ=1000\n",
        "lib/modules/{release}/kernel/zsmalloc.ko": fakes.module(""),
    },
    "debian": {
        "boot/vmlinuz-{release}": IMAGE,
        "boot/config-{release}": b"CONFIG_HZ=1000\n",
        "usr/lib/modules/{release}/kernel/zsmalloc.ko": fakes.module(""),
    },
    "nixos": {
        "run/booted-system/kernel": IMAGE,
        "run/booted-system/kernel-modules/lib/modules/{release}/kernel/zsmalloc.ko": fakes.module(""),
        "proc/config.gz": gzip.compress(b"CONFIG_HZ=1000\n"),
    },
}


class Host:
    """A root directory. Its running kernel is RELEASE."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, files: dict[str, bytes], release: str = RELEASE) -> None:
        for path, data in files.items():
            place = self.root / path.format(release=release)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


@pytest.fixture
def host(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setattr(installed, "ROOT", tmp_path / "root")
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "here", RELEASE, "#1", "x86_64")))
    made = Host(tmp_path / "root")
    made.add({"proc/version": fakes.banner(RELEASE).rstrip(b"\0")})
    return made


def get(text: str) -> KernelArtifact:
    refs = [parse_ref(text)]
    check(refs, "cloud", Told())
    (artifact,) = fetch(refs, "cloud", Told())
    return artifact


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", [f"installed:{RELEASE}", "running"])
def test_image_modules_and_configuration_are_found_where_distributions_put_them(
    host: Host, layout: str, text: str
) -> None:
    host.add(LAYOUTS[layout])
    kernel = get(text)
    assert kernel.identity.release == RELEASE
    assert {item.name: item.value for item in kernel.identity.configuration or ()}["HZ"] == "1000"
    assert [name for name, _ in load_modules(kernel, ["zsmalloc"], Told())] == ["zsmalloc"]
    assert exact_ref(kernel.identity) == f"installed:{RELEASE}"
    assert kernel.identity.source.startswith("installed as ")


def test_a_release_that_is_not_installed_is_answered_with_those_that_are(host: Host) -> None:
    host.add(LAYOUTS["debian"])
    with pytest.raises(BadInput, match=r"no image of 6\.99\.2-fake is installed \(looked for /lib/modules/") as caught:
        check([parse_ref("installed:6.99.2-fake")], "cloud", Told())
    assert caught.value.remedy.startswith(f"did you mean {RELEASE}? with modules here: {RELEASE}; or name a file")


def test_a_host_without_kernels_says_so(host: Host) -> None:
    with pytest.raises(BadInput, match=f"no image of {RELEASE} is installed") as caught:
        check([parse_ref("running")], "cloud", Told())
    assert "no kernel is installed below /lib/modules" in caught.value.remedy


def test_an_image_that_the_user_may_not_read_is_named_with_what_to_type(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.add(LAYOUTS["debian"])
    monkeypatch.setattr("kassay.supply.kernels._given.readable", lambda path: False)
    with pytest.raises(BadInput, match=f"boot/vmlinuz-{RELEASE}: Permission denied") as caught:
        check([parse_ref("running")], "cloud", Told())
    image = f"{host.root}/boot/vmlinuz-{RELEASE}"
    assert caught.value.remedy == f"type: sudo chmod a+r {image} (or copy it with sudo, and name image:COPY)"
    monkeypatch.setattr("kassay.supply.kernels._given.readable", lambda path: "config" not in path.name)
    with pytest.raises(BadInput, match=r"config.*: Permission denied") as caught:
        check([parse_ref("running")], "cloud", Told())
    assert f"and name image:{image},config=COPY" in caught.value.remedy


def test_an_image_that_was_replaced_since_the_host_started_is_not_the_running_kernel(host: Host) -> None:
    host.add(LAYOUTS["debian"])
    host.add({"proc/version": fakes.banner(RELEASE).replace(b"#1", b"#2")})
    with pytest.raises(BadInput, match="another build than the running kernel") as caught:
        get("running")
    assert f"installed:{RELEASE}" in caught.value.remedy
    assert get(f"installed:{RELEASE}").identity.release == RELEASE


def test_an_image_under_the_name_of_another_release_is_refused(host: Host) -> None:
    host.add(LAYOUTS["debian"], release="6.98")
    with pytest.raises(BadInput, match=f"is release {RELEASE}"):
        get("installed:6.98")


def test_the_container_says_how_it_sees_a_kernel_of_the_host(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    image = host.root / "etc/kassay-image"
    monkeypatch.setattr(installed, "IMAGE", image)
    with pytest.raises(BadInput) as caught:
        get(f"installed:{RELEASE}")
    assert "KASSAY_MOUNT" not in caught.value.remedy
    host.add({"etc/kassay-image": b"kassay\n"})
    with pytest.raises(BadInput) as caught:
        get(f"installed:{RELEASE}")
    assert "KASSAY_MOUNT=/boot:/usr/lib/modules" in caught.value.remedy
