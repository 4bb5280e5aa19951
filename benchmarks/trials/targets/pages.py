# SPDX-License-Identifier: GPL-2.0-only
"""Traces of page events."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import files
from kassay.tools.recording.pages import from_bytes

_EVENTS = 16


def _seeds(made: Path | None) -> Iterator[bytes]:
    for data in files("pages/*.zst"):
        end = data.index(b"\n\n")
        head = [line for line in data[:end].split(b"\n") if not line.startswith(b"events ")]
        head.insert(1, b"events %d" % _EVENTS)
        yield b"\n".join(head) + data[end : end + 2 + 16 * _EVENTS]


def _run(data: bytes) -> None:
    trace = from_bytes(data)
    _ = trace.main_zone, trace.kinds


TARGET = Target("traces of page events", _seeds, _run)
