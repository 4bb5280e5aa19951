# SPDX-License-Identifier: GPL-2.0-only
"""Bundles: the archive, compressed again unless the input is raw; checksums of its headers are mended."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import zstandard

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import RAW, scratch, written
from kassay.tools.bundle import tar

_LIMIT = 1 << 20
_BLOCK, _SUM = 512, slice(148, 156)


def _seeds(made: Path | None) -> Iterator[bytes]:
    root = scratch() / "packed"
    for name in ("README", "run/plan.json", "run/artifacts/00/11.zst"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode() * 40)
    tar.write(scratch() / "seed.tar.zst", "claim", ("README", "run/plan.json", "run/artifacts/00/11.zst"), root)
    packed = (scratch() / "seed.tar.zst").read_bytes()
    yield zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    yield bytes([RAW]) + packed


def _mended(data: bytes) -> bytes:
    out = bytearray(data)
    for at in range(0, len(out) - _BLOCK + 1, _BLOCK):
        block = out[at : at + _BLOCK]
        if block[257:262] == b"ustar":
            block[_SUM] = b" " * 8
            block[_SUM] = b"%06o\0 " % sum(block)
            out[at : at + _BLOCK] = block
    return bytes(out)


def _run(data: bytes) -> None:
    raw = data[:1] == bytes([RAW])
    path = written("a.tar.zst", data[1:] if raw else zstandard.ZstdCompressor(level=1).compress(_mended(data)))
    into = scratch() / "unpacked"
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    tar.unpack(path, into, _LIMIT)
    inside = [path.resolve() for path in into.rglob("*")]
    assert all(path.is_relative_to(into.resolve()) for path in inside), inside


TARGET = Target("bundles", _seeds, _run)
