# SPDX-License-Identifier: GPL-2.0-only
"""The output of the core model."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import REFUSALS, Target
from benchmarks.trials.targets._inputs import text_of
from kassay.errors import Defect
from kassay.labs.predict.core import parse


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield b"t 0 0 100 2500\nc 0 0 3 issue 1200 60\no 0 0 1 20 300\ns branches 12\n"


def _run(data: bytes) -> None:
    parse(text_of(data))


TARGET = Target("output of the core model", _seeds, _run, (*REFUSALS, Defect), 1 << 12)
