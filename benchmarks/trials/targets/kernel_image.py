# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images, with the configuration inside."""

import lzma
from collections.abc import Iterator
from pathlib import Path

import zstandard
from tests.kernels import fakes

from benchmarks.trials.target import Target
from kassay.supply.kernels._configuration import in_image
from kassay.supply.kernels._image import take_apart


def _seeds(made: Path | None) -> Iterator[bytes]:
    inside = fakes.vmlinux(body=b"IKCFG_ST" + fakes.gzip(b"CONFIG_SMP=y\n") + b"IKCFG_ED")
    packers = (fakes.gzip, lzma.compress, zstandard.ZstdCompressor(level=3).compress)
    yield from (fakes.bzimage(pack(inside)) for pack in packers)
    yield from (inside, fakes.arm64_image(), fakes.gzip(fakes.arm64_image()))
    efi = zstandard.ZstdCompressor(level=3).compress(fakes.arm64_image())
    yield b"MZ\0\0zimg" + (64).to_bytes(4, "little") + len(efi).to_bytes(4, "little") + bytes(48) + efi


def _run(data: bytes) -> None:
    in_image(take_apart(data, "image").kernel)


TARGET = Target("kernel images", _seeds, _run)
