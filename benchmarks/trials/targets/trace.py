# SPDX-License-Identifier: GPL-2.0-only
"""The plugin's traces."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.predict.trace_stream import steps

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import cut, files
from kassay.labs.predict.trace import read_trace

_LONGEST = 1 << 14
_STEPS = 2000


def _seeds(made: Path | None) -> Iterator[bytes]:
    return cut(files("traces/*.zst"), _LONGEST)


def _run(data: bytes) -> None:
    read_trace(data)
    for _ in islice(steps(data), _STEPS):
        pass


TARGET = Target("traces of the plugin", _seeds, _run, longest=_LONGEST)
