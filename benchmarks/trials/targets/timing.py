# SPDX-License-Identifier: GPL-2.0-only
"""Timing files of CPUs."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import written
from kassay.labs.predict.timing import read, timings

_SHORT = 1 << 14


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield from (path.read_bytes()[:_SHORT] for path in timings().values())


def _run(data: bytes) -> None:
    _ = read(written("a.toml", data)).params_text


TARGET = Target("timing files", _seeds, _run, longest=_SHORT)
