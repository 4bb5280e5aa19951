# SPDX-License-Identifier: GPL-2.0-only
"""Shared libraries and programs inside packages."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from kassay.supply.images._libraries import _object

_LONGEST = 1 << 14


def _seeds(made: Path | None) -> Iterator[bytes]:
    for path in ("/bin/true", "/usr/bin/true", "/lib/x86_64-linux-gnu/libdl.so.2"):
        if Path(path).is_file() and Path(path).stat().st_size <= 4 * _LONGEST:
            yield Path(path).read_bytes()[: 4 * _LONGEST]


def _run(data: bytes) -> None:
    _object(data, "x86_64")


TARGET = Target("shared libraries", _seeds, _run, longest=4 * _LONGEST)
