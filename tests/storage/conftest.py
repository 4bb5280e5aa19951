# SPDX-License-Identifier: GPL-2.0-only
"""The program itself, and a cache with one thing of each kind."""

import os
from pathlib import Path

import msgspec
import pytest

from tests.commands.conftest import kassay

__all__ = ["kassay"]
OLD, NEW = 1_700_000_000, 1_900_000_000
LISTED, BUILT, GONE = "a" * 64, "b" * 64, "c" * 64
"""Images of kernels: in the archive's list, built here, and dropped by the archive."""


def put(path: Path, size: int, used: int = OLD) -> None:
    """Writes a file that was used last at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (used, used))


def put_kernel(cache: Path, name: str, package: str | None, packages: tuple[str, ...] = ()) -> None:
    identity = {"release": f"6.{len(package or '')}", "arch": "x86_64", "package": package, "package_version": "6.17-1"}
    directory = cache / "kernels" / name
    put(directory / "image", 9000)
    (directory / "kernel.json").write_bytes(
        msgspec.json.encode({"artifact": {"identity": identity, "packages": packages}})
    )
    os.utime(directory / "kernel.json", (OLD, OLD))


@pytest.fixture
def filled(cache: Path) -> Path:
    listed = {"name": "linux-image-6.17", "kind": "image", "release": "6.17", "flavour": "cloud", "version": "6.17-1",
              "suite": "s", "uri": "u", "size_bytes": 1, "sha256": "d" * 64}  # fmt: skip
    put(cache / "apt" / "m" / "x86_64" / "kernels.json", 0, NEW)
    (cache / "apt" / "m" / "x86_64" / "kernels.json").write_bytes(
        msgspec.json.encode({"made": "2026-11-01T00:00:00Z", "packages": [listed]})
    )
    put(cache / "archive" / "n" / "x86_64" / "lists", 10, NEW)  # as without apt
    put_kernel(cache, LISTED, "linux-image-6.17", ("linux-image-6.17_6.17-1.deb",))
    put_kernel(cache, f"{BUILT}.build", None)
    put_kernel(cache, GONE, "linux-image-gone", ("linux-image-gone_6.17-1.deb",))
    put_kernel(cache, f"{LISTED}.file", None)
    (cache / "refs" / "build").mkdir(parents=True)
    (cache / "refs" / "build" / "key1").write_text(f"{BUILT}\n")
    put(cache / "lines" / "key1.elf", 5000)
    put(cache / "lines" / "key2.elf", 5000)
    put(cache / "packages" / "x86_64" / "linux-image-6.17_6.17-1.deb", 4000)
    put(cache / "packages" / "x86_64" / "redis_7-1.deb", 4000)
    put(cache / "sources" / "git" / "objects" / "pack", 7000)
    put(cache / "build" / "src-0" / "src" / "vmlinux.o", 90_000)
    put(cache / "snapshots" / "e1", 200_000)
    put(cache / "snapshots" / "e1.json", 10)
    put(cache / "snapshots" / "e2", 100_000, NEW)
    put(cache / "guest" / "x86_64" / "init-1", 8000)
    put(cache / "sources" / "trees" / ".6.17.partial" / "Makefile", 10)
    put(cache / "strange", 3000)
    put(cache / "use.lock", 0)
    return cache
