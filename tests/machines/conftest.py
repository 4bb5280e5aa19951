# SPDX-License-Identifier: GPL-2.0-only
"""A machine elsewhere, and a visit to it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.effects.files import sha256_bytes
from kassay.model.remote_machine import RemoteOptions
from kassay.supply.machines import KernelFiles, Visit
from kassay.supply.machines._metal import visit as visits
from tests.machines.fake_host import ID, FakeHost


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    made = FakeHost()

    @contextlib.contextmanager
    def connected(_: object) -> Iterator[FakeHost]:
        yield made

    monkeypatch.setattr(visits, "connected", connected)
    now = [0.0]
    monkeypatch.setattr("kassay.effects.clock.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr("kassay.effects.clock.monotonic_s", lambda: now[0])
    return made


@pytest.fixture
def visit(tmp_path: Path, host: FakeHost) -> Visit:
    kernels = []
    for name in ("old", "new"):
        for kind in ("image", "modules"):
            (tmp_path / f"{name}.{kind}").write_text(f"{kind} of {name}")
        sha, release = sha256_bytes(f"image of {name}".encode()), f"6.{len(name)}.0-{name}"
        host.banners[sha] = f"Linux version {release} (gcc) #1 SMP"
        inside = host.banners[sha].replace("#1", "#")  # as an image has it, once more and first
        kernels.append(KernelFiles(ref=name, release=release, banner=inside, image_sha256=sha,
                                   image=f"{tmp_path}/{name}.image", modules=f"{tmp_path}/{name}.modules"))  # fmt: skip
    (tmp_path / "program").write_text("the workload")
    return Visit(id=ID, directory=str(tmp_path), arch="x86_64", kernels=tuple(kernels), reach=RemoteOptions(limit_s=60))
