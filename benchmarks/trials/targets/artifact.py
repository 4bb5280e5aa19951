# SPDX-License-Identifier: GPL-2.0-only
"""Artifacts: compressed files that a journal names."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import zstandard

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import scratch
from kassay.journal import artifacts

_NAME = hashlib.sha256(b"content").hexdigest()


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield zstandard.ZstdCompressor(level=3, write_checksum=True).compress(b"content")
    yield zstandard.ZstdCompressor(level=3).compress(b"content" * 1000)


def _run(data: bytes) -> None:
    path = scratch() / "artifacts" / _NAME[:2] / f"{_NAME[2:]}.zst"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    artifacts.get(scratch(), _NAME)


TARGET = Target("artifacts", _seeds, _run)
