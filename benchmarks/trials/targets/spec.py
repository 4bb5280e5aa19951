# SPDX-License-Identifier: GPL-2.0-only
"""Experiment files."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import DATA, written
from kassay.spec.load import load


def _seeds(made: Path | None) -> Iterator[bytes]:
    root = DATA.parent.parent
    yield from (path.read_bytes() for path in sorted(root.glob("examples/**/*.toml")))
    yield (root / "benchmarks" / "cluster" / "three.toml").read_bytes()
    if made is not None:
        yield (made / "pinned.toml").read_bytes()


def _run(data: bytes) -> None:
    load(written("spec.toml", data))


TARGET = Target("experiment files", _seeds, _run)
