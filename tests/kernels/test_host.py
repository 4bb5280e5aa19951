# SPDX-License-Identifier: GPL-2.0-only
"""The running kernel, described."""

import gzip
import platform
from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import parse_ref
from kassay.supply.kernels import fetch
from kassay.supply.kernels import host as host_module
from tests.kernels.fakes import Told

_OWN = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), "")
_OTHER = "arm64" if _OWN == "x86_64" else "x86_64"


def test_the_running_kernel_is_described_not_imaged(cache: Path) -> None:
    (artifact,) = fetch([parse_ref("host", _OWN)], "cloud", Told())
    assert artifact.identity.release == platform.release()
    assert artifact.identity.image_sha256 is None
    assert (artifact.image, artifact.vmlinux) == ("", None)
    assert artifact.identity.banner == Path("/proc/version").read_text().strip()


def test_another_architecture_than_the_host_s_is_refused(cache: Path) -> None:
    with pytest.raises(BadInput, match=f"this host is {_OWN}"):
        fetch([parse_ref("host", _OTHER)], "cloud", Told())


def test_a_machine_nobody_measures_on_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(HostLacks, match="riscv64"):
        fetch([parse_ref("host", _OWN)], "cloud", Told())


def test_a_configuration_is_kept_where_there_is_one(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown = tmp_path / "config.gz"
    shown.write_bytes(gzip.compress(b"CONFIG_MMU=y\n"))
    monkeypatch.setattr(host_module, "_CONFIG_PLACES", (str(tmp_path / "absent"), str(shown)))
    (artifact,) = fetch([parse_ref("host", _OWN)], "cloud", Told())
    assert artifact.config is not None
    assert Path(artifact.config).read_bytes() == b"CONFIG_MMU=y\n"
    monkeypatch.setattr(host_module, "_CONFIG_PLACES", ())
    (artifact,) = fetch([parse_ref("host", _OWN)], "cloud", Told())
    assert (artifact.config, artifact.identity.config_sha256) == (None, None)
